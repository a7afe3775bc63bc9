import type { Value } from "../onnx/value.js";
import type { LoraLinearGradients } from "./lora-linear.js";

/** Gradients of adapters as the backward pass finds them, by module. */
export class AdapterGradients {
  readonly #byModule = new Map<string, { readonly a: Value; readonly b: Value }>();

  /** Keeps a module's adapter gradients, if it has any, and hands on the gradient of its input. */
  take(module: string, gradients: LoraLinearGradients): Value {
    if (gradients.adapter !== undefined) this.#byModule.set(module, gradients.adapter);
    return gradients.input;
  }

  /** Graph outputs under the names of {@link adapterGradientOutputs}. */
  outputs(): Record<string, Value> {
    const outputs: Record<string, Value> = {};
    for (const [module, { a, b }] of this.#byModule) {
      const names = adapterGradientOutputs(module);
      outputs[names.a] = a;
      outputs[names.b] = b;
    }
    return outputs;
  }
}

/** Names of the graph outputs of a module's two gradients, shaped as the factors are. */
export const adapterGradientOutputs = (module: string) => ({
  a: `${module}.lora_A.gradient`,
  b: `${module}.lora_B.gradient`,
});
