import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add } from "../onnx/operators/elementwise.js";
import type { Value } from "../onnx/value.js";
import type { AdapterGradients } from "./adapter-gradients.js";
import { type LoraLinear, loraLinear, loraLinearBackward } from "./lora-linear.js";
import type { ModelValues } from "./model-values.js";
import { type RmsNorm, rmsNorm, rmsNormBackward } from "./rms-norm.js";
import { type SwiGlu, swiGlu, swiGluAgain, swiGluBackward } from "./swiglu.js";

export interface MlpBlock {
  readonly output: Value;
  readonly layer: number;
  readonly norm: RmsNorm;
  readonly gate: LoraLinear;
  readonly up: LoraLinear;
  readonly activation: SwiGlu;
  readonly down: LoraLinear;
}

/** `x + down(silu(gate(h)) · up(h))` with `h` the normed `x`, `[rows, time, hidden]`. */
export function mlpBlock(graph: GraphBuilder, model: ModelValues, layer: number, input: Value): MlpBlock {
  const weight = model.norm(`model.layers.${layer}.post_attention_layernorm`);
  const norm = rmsNorm(graph, input, weight, model.config.rmsNormEpsilon);
  const gate = loraLinear(graph, norm.output, model.linear(`model.layers.${layer}.mlp.gate_proj`));
  const up = loraLinear(graph, norm.output, model.linear(`model.layers.${layer}.mlp.up_proj`));
  const activation = swiGlu(graph, gate.output, up.output);
  const down = loraLinear(graph, activation.output, model.linear(`model.layers.${layer}.mlp.down_proj`));
  return { output: add(graph, input, down.output), layer, norm, gate, up, activation, down };
}

/**
 * Gradient of the block's input from that of its output.
 *
 * @param sparesMemory - true to compute what lies between gate and down again
 */
export function mlpBlockBackward(
  graph: GraphBuilder,
  saved: MlpBlock,
  gradient: Value,
  adapters: AdapterGradients,
  sparesMemory: boolean,
): Value {
  const activation = sparesMemory ? swiGluAgain(graph, saved.activation) : saved.activation;
  const block = { ...saved, activation, down: { ...saved.down, input: activation.output } };
  const through = (name: "gate" | "up" | "down", dOutput: Value) =>
    adapters.take(
      `model.layers.${block.layer}.mlp.${name}_proj`,
      loraLinearBackward(graph, block[name], dOutput),
    );
  const inner = swiGluBackward(graph, block.activation, through("down", gradient));
  const dNormed = add(graph, through("gate", inner.gate), through("up", inner.up));
  return add(graph, gradient, rmsNormBackward(graph, block.norm, dNormed));
}
