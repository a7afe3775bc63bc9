import type { EngineDatum } from "../../engine/engine.js";

/** A tensor as the wire carries it in JSON. */
interface GoldenTensor {
  readonly data: readonly number[];
  readonly shape: readonly number[];
}

export interface GoldenDatum {
  readonly model_input: { readonly chunks: readonly { readonly tokens: readonly number[] }[] };
  readonly loss_fn_inputs: Readonly<Record<string, GoldenTensor>>;
}

export function goldenDatum({ model_input, loss_fn_inputs }: GoldenDatum): EngineDatum {
  const targets = loss_fn_inputs.target_tokens;
  if (targets === undefined) throw new Error("the golden datum has no target_tokens");
  const others = Object.entries(loss_fn_inputs).filter(([key]) => key !== "target_tokens");
  return {
    tokens: Int32Array.from(model_input.chunks.flatMap(({ tokens }) => tokens)),
    targets: Int32Array.from(targets.data),
    targetsPerToken: targets.shape[1] ?? 1,
    targetsAreMatrix: targets.shape.length === 2,
    lossInputs: Object.fromEntries(others.map(([key, { data }]) => [key, Float32Array.from(data)])),
  };
}
