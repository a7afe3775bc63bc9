import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add } from "../onnx/operators/elementwise.js";
import type { Value } from "../onnx/value.js";
import type { AdapterGradients } from "./adapter-gradients.js";
import type { Attend, Attended } from "./attention.js";
import {
  type AttentionProjections,
  attentionProjections,
  attentionProjectionsBackward,
} from "./attention-projections.js";
import { type LoraLinear, loraLinear, loraLinearBackward } from "./lora-linear.js";
import type { ModelValues } from "./model-values.js";
import { type RmsNorm, rmsNorm, rmsNormBackward } from "./rms-norm.js";
import type { Rope } from "./rope.js";

export interface AttentionBlock {
  readonly output: Value;
  readonly layer: number;
  readonly norm: RmsNorm;
  readonly projections: AttentionProjections;
  readonly attended: Attended;
  readonly out: LoraLinear;
}

/**
 * `x + o(attention(q(h), k(h), v(h)))` with `h` the normed `x`, `[rows, time, hidden]`.
 */
export function attentionBlock(
  graph: GraphBuilder,
  model: ModelValues,
  layer: number,
  input: Value,
  rope: Rope,
  attend: Attend,
): AttentionBlock {
  const weight = model.norm(`model.layers.${layer}.input_layernorm`);
  const norm = rmsNorm(graph, input, weight, model.config.rmsNormEpsilon);
  const projections = attentionProjections(graph, model, layer, norm.output, rope);
  const attended = attend(graph, projections, model.config);
  const out = loraLinear(graph, attended.output, model.linear(`model.layers.${layer}.self_attn.o_proj`));
  return { output: add(graph, input, out.output), layer, norm, projections, attended, out };
}

/** Gradient of the block's input from that of its output. */
export function attentionBlockBackward(
  graph: GraphBuilder,
  model: ModelValues,
  block: AttentionBlock,
  gradient: Value,
  adapters: AdapterGradients,
): Value {
  const dAttended = adapters.take(
    `model.layers.${block.layer}.self_attn.o_proj`,
    loraLinearBackward(graph, block.out, gradient),
  );
  const inputs = block.attended.backward(dAttended);
  const dNormed = attentionProjectionsBackward(graph, model, block.projections, inputs, adapters);
  return add(graph, gradient, rmsNormBackward(graph, block.norm, dNormed));
}
