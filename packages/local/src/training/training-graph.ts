import { AdapterGradients } from "../graph/adapter-gradients.js";
import { attendAtOnce } from "../graph/attention.js";
import { attendInBlocks } from "../graph/blocked-attention.js";
import { headInBlocks } from "../graph/blocked-head.js";
import { blockedTime, divideIntoBlocks } from "../graph/blocks.js";
import { causalMask } from "../graph/causal-mask.js";
import { type DecoderOptions, decoder, decoderBackward } from "../graph/decoder.js";
import { type ModelValues, modelValues } from "../graph/model-values.js";
import { headAtOnce, type TargetHead } from "../graph/target-head.js";
import { type Loss, perTokenInputs, scalarInputs } from "../losses/loss-definition.js";
import type { ModelConfig } from "../model/model-config.js";
import type { GraphWeights } from "../model/model-tensors.js";
import type { Shape } from "../onnx/dimension.js";
import { GraphBuilder } from "../onnx/graph-builder.js";
import type { OnnxGraph } from "../onnx/onnx-graph.js";
import type { Value } from "../onnx/value.js";
import { isSmallModel } from "./is-small-model.js";

export interface TrainingGraphOptions {
  readonly config: ModelConfig;
  readonly weights: GraphWeights;
  /** Names of the linear layers that carry an adapter. */
  readonly adapted: ReadonlySet<string>;
  readonly loss: Loss;
  /** True when the graph also gives the gradients of the adapters. */
  readonly backward: boolean;
  /**
   * Tokens a block, for one row that is too long to hold its intermediate results: attention and logits are computed by blocks, and
   * layers again in the backward pass. Its length is a multiple of this. Left out: several rows at once, of any length.
   */
  readonly blockLength?: number | undefined;
}

/** Names the input of the graph for a tensor or setting of the loss; outputs such as `logprobs` keep their plain names. */
export function lossInputName(key: string): string {
  return `loss.${key}`;
}

/**
 * Forward pass, loss and, if asked for, backward pass of a model with adapters, as one graph.
 *
 * Inputs: `tokens` int32 `[rows, time]`, `targets` int32 `[rows, time, K]`, those of the loss under their
 * {@link lossInputName}, and the adapter. Outputs: `logprobs` and `loss`, `[rows, time, K]`, and the gradient of the summed
 * loss for every factor of the adapter. K is open for a loss that takes matrices and 1 otherwise.
 */
export function trainingGraph(options: TrainingGraphOptions): OnnxGraph {
  // Rows are many, so packed copies of the weights save little time; forward and backward half would need one each.
  const graph = new GraphBuilder({ isPacked: false });
  const isMerged = isSmallModel(options.config);
  const model = modelValues(graph, options.config, options.weights, options.adapted, isMerged);
  const { blockLength } = options;
  const [rows, time] = blockLength === undefined ? ["rows", "time"] : [1, blockedTime(blockLength)];
  const tokens = graph.input("tokens", "int32", [rows, time]);
  const perToken = [rows, time, options.loss.takesMatrix === true ? "targets" : 1];
  const targets = graph.input("targets", "int32", perToken);
  const parts =
    blockLength === undefined ? atOnce(graph, model, tokens) : inBlocks(graph, model, tokens, blockLength);
  const decoded = decoder(graph, model, tokens, parts.decoder);
  const head = parts.head(decoded.output, targets);
  const lossInput = (shape: Shape) => (key: string) =>
    [key, graph.input(lossInputName(key), "float32", shape)] as const;
  const { loss, gradient } = options.loss.forward(
    graph,
    head.logprobs,
    Object.fromEntries([
      ...perTokenInputs(options.loss).map(lossInput(perToken)),
      ...scalarInputs(options.loss).map(lossInput([])),
    ]),
  );
  const outputs = { logprobs: head.logprobs, loss };
  if (!options.backward) return graph.build(outputs);
  const adapters = new AdapterGradients();
  const dNormed = adapters.take("lm_head", head.backward(gradient));
  decoderBackward(graph, model, decoded, dNormed, adapters);
  return graph.build({ ...outputs, ...adapters.outputs() });
}

/** The two parts of a graph that memory decides about. */
interface Parts {
  readonly decoder: DecoderOptions;
  readonly head: (hidden: Value, targets: Value) => TargetHead;
}

function atOnce(graph: GraphBuilder, model: ModelValues, tokens: Value): Parts {
  const { headCount, keyValueHeadCount } = model.config;
  const mask = causalMask(graph, tokens, headCount / keyValueHeadCount);
  return {
    decoder: { attend: attendAtOnce(mask), sparesMemory: !isSmallModel(model.config) },
    head: (hidden, targets) => headAtOnce(graph, hidden, targets, model.linear("lm_head")),
  };
}

function inBlocks(graph: GraphBuilder, model: ModelValues, tokens: Value, length: number): Parts {
  const blocks = divideIntoBlocks(graph, tokens, length);
  const longestRow = Math.ceil(model.config.contextLength / length) * length;
  return {
    decoder: { attend: attendInBlocks(blocks), isRecomputed: true, sparesMemory: false, longestRow },
    head: (hidden, targets) => headInBlocks(graph, blocks, hidden, targets, model.linear("lm_head")),
  };
}
