import { attentionProjections } from "../graph/attention-projections.js";
import { causalMask } from "../graph/causal-mask.js";
import { loraLinear } from "../graph/lora-linear.js";
import { mlpBlock } from "../graph/mlp-block.js";
import { type ModelValues, modelValues } from "../graph/model-values.js";
import { rmsNorm } from "../graph/rms-norm.js";
import { type Rope, ropeValues } from "../graph/rope.js";
import { ropeTables } from "../graph/rope-tables.js";
import type { ModelConfig } from "../model/model-config.js";
import type { GraphWeights } from "../model/model-tensors.js";
import { GraphBuilder } from "../onnx/graph-builder.js";
import type { OnnxGraph } from "../onnx/onnx-graph.js";
import { add } from "../onnx/operators/elementwise.js";
import { gatherRows } from "../onnx/operators/gather.js";
import { maxLastAxis } from "../onnx/operators/reduce.js";
import { flattenRows } from "../onnx/operators/reshape.js";
import { logSoftmax } from "../onnx/operators/softmax.js";
import type { Value } from "../onnx/value.js";
import { cachedAttention, type HeadKeyValues } from "./cached-attention.js";

/** Names of a layer's cached keys and values among the graph's inputs. */
export const pastInputs = (layer: number) => ({ keys: `past.keys.${layer}`, values: `past.values.${layer}` });

/** Names of the new tokens' keys and values among the graph's outputs. */
export const freshOutputs = (layer: number) => ({
  keys: `fresh.keys.${layer}`,
  values: `fresh.values.${layer}`,
});

/**
 * A model that goes on from cached keys and values: the prompt and every token after it run through this one graph, and
 * its arithmetic is that of the training graph.
 *
 * Inputs: `tokens` int32 and `positions` int64 `[rows, time]`; `pastMask` `[rows, 1, 1, past]`, 0 where a row has a
 * cached token and a huge negative number elsewhere; the caches, `[rows, keyValueHeads, past, headSize]`; `selected`
 * int32, which of the `rows · time` tokens logits are wanted for; and the adapter. Outputs: `logits`
 * `[selected, vocabulary]`, the log-probability of the likeliest token, `bestLogprobs` `[selected, 1]`, and the new tokens' keys and values, `[rows, keyValueHeads, time, headSize]`.
 *
 * @param adapted - names of the linear layers that carry an adapter
 */
export function decodeGraph(
  config: ModelConfig,
  weights: GraphWeights,
  adapted: ReadonlySet<string>,
): OnnxGraph {
  const graph = new GraphBuilder();
  const model = modelValues(graph, config, weights, adapted);
  const tokens = graph.input("tokens", "int32", ["rows", "time"]);
  const positions = graph.input("positions", "int64", ["rows", "time"]);
  const masks = {
    past: graph.input("pastMask", "float32", ["rows", 1, 1, "past"]),
    fresh: causalMask(graph, tokens, config.headCount / config.keyValueHeadCount),
  };
  const rope = ropeValues(graph, ropeTables(config), config.headSize, positions);
  const outputs: Record<string, Value> = {};
  let hidden = gatherRows(graph, model.embedding, tokens);
  for (let layer = 0; layer < config.layerCount; layer += 1) {
    const { output, keys, values } = cachedAttentionBlock(graph, model, layer, hidden, rope, masks);
    outputs[freshOutputs(layer).keys] = keys;
    outputs[freshOutputs(layer).values] = values;
    hidden = mlpBlock(graph, model, layer, output).output;
  }
  // Only the tokens asked for go through the unembedding, which for a large vocabulary costs more than a layer.
  const selected = graph.input("selected", "int32", ["selected"]);
  const chosen = gatherRows(graph, flattenRows(graph, hidden), selected);
  const norm = rmsNorm(graph, chosen, model.norm("model.norm"), config.rmsNormEpsilon);
  const { output: logits } = loraLinear(graph, norm.output, model.linear("lm_head"));
  return graph.build({ logits, bestLogprobs: maxLastAxis(graph, logSoftmax(graph, logits)), ...outputs });
}

/** `x + o(attention(q(h), k(h), v(h)))` with `h` the normed `x`, over cached and new tokens. */
function cachedAttentionBlock(
  graph: GraphBuilder,
  model: ModelValues,
  layer: number,
  input: Value,
  rope: Rope,
  masks: { readonly past: Value; readonly fresh: Value },
): HeadKeyValues & { readonly output: Value } {
  const { config } = model;
  const cacheShape = ["rows", config.keyValueHeadCount, "past", config.headSize];
  const names = pastInputs(layer);
  const past = {
    keys: graph.input(names.keys, "float32", cacheShape),
    values: graph.input(names.values, "float32", cacheShape),
  };
  const weight = model.norm(`model.layers.${layer}.input_layernorm`);
  const norm = rmsNorm(graph, input, weight, config.rmsNormEpsilon);
  const projections = attentionProjections(graph, model, layer, norm.output, rope);
  const attended = cachedAttention(graph, projections, past, masks, config);
  const out = loraLinear(graph, attended.output, model.linear(`model.layers.${layer}.self_attn.o_proj`));
  return { output: add(graph, input, out.output), keys: attended.keys, values: attended.values };
}
