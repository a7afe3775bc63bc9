import type { GraphBuilder } from "../onnx/graph-builder.js";
import { gatherRows } from "../onnx/operators/gather.js";
import type { Value } from "../onnx/value.js";
import type { AdapterGradients } from "./adapter-gradients.js";
import { type AttentionBlock, attentionBlock, attentionBlockBackward } from "./attention-block.js";
import { causalMask } from "./causal-mask.js";
import { type LoraLinear, loraLinear, loraLinearBackward } from "./lora-linear.js";
import { type MlpBlock, mlpBlock, mlpBlockBackward } from "./mlp-block.js";
import type { ModelValues } from "./model-values.js";
import { type RmsNorm, rmsNorm, rmsNormBackward } from "./rms-norm.js";
import { ropeValues } from "./rope.js";
import { ropeTables } from "./rope-tables.js";

/** A whole model over rows that each start at position 0. */
export interface Decoder {
  /** `[rows, time, vocabulary]` */
  readonly logits: Value;
  readonly layers: readonly { readonly attention: AttentionBlock; readonly mlp: MlpBlock }[];
  readonly norm: RmsNorm;
  readonly head: LoraLinear;
}

/** @param tokens - int32 ids, `[rows, time]`, rows padded at their end with any id */
export function decoder(graph: GraphBuilder, model: ModelValues, tokens: Value): Decoder {
  const { config } = model;
  const start = graph.initializer("rope.start", "int64", [1], BigInt64Array.of(0n));
  const rope = ropeValues(graph, ropeTables(config), config.headSize, start);
  const mask = causalMask(graph, tokens, config.headCount / config.keyValueHeadCount);
  const layers: { attention: AttentionBlock; mlp: MlpBlock }[] = [];
  let hidden = gatherRows(graph, model.embedding, tokens);
  for (let layer = 0; layer < config.layerCount; layer += 1) {
    const attention = attentionBlock(graph, model, layer, hidden, rope, mask);
    const mlp = mlpBlock(graph, model, layer, attention.output);
    layers.push({ attention, mlp });
    hidden = mlp.output;
  }
  const norm = rmsNorm(graph, hidden, model.norm("model.norm"), config.rmsNormEpsilon);
  const head = loraLinear(graph, norm.output, model.linear("lm_head"));
  return { logits: head.output, layers, norm, head };
}

/**
 * Gradients of all adapters from that of the logits. It is written down to the embedding; what no adapter needs is left
 * out when the graph is built, since nothing asks for it.
 */
export function decoderBackward(
  graph: GraphBuilder,
  model: ModelValues,
  saved: Decoder,
  gradient: Value,
  adapters: AdapterGradients,
): void {
  const dNormed = adapters.take("lm_head", loraLinearBackward(graph, saved.head, gradient));
  let dHidden = rmsNormBackward(graph, saved.norm, dNormed);
  for (const { attention, mlp } of [...saved.layers].reverse()) {
    dHidden = mlpBlockBackward(graph, mlp, dHidden, adapters);
    dHidden = attentionBlockBackward(graph, model, attention, dHidden, adapters);
  }
}
