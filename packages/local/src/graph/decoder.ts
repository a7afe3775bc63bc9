import type { GraphBuilder } from "../onnx/graph-builder.js";
import { gatherRows } from "../onnx/operators/gather.js";
import { reshapeLike } from "../onnx/operators/reshape.js";
import type { Value } from "../onnx/value.js";
import type { AdapterGradients } from "./adapter-gradients.js";
import type { Attend } from "./attention.js";
import { type AttentionBlock, attentionBlock, attentionBlockBackward } from "./attention-block.js";
import { type MlpBlock, mlpBlock, mlpBlockBackward } from "./mlp-block.js";
import type { ModelValues } from "./model-values.js";
import { type RmsNorm, rmsNorm, rmsNormBackward } from "./rms-norm.js";
import { type Rope, ropeValues } from "./rope.js";
import { ropeTables } from "./rope-tables.js";

export interface DecoderOptions {
  readonly attend: Attend;
  /** Longest row, where it is not the model's context. */
  readonly longestRow?: number;
  /** True where the backward half computes each layer again, from its input, and holds no more of it. Default false. */
  readonly isRecomputed?: boolean;
  /** True where the backward half computes again what costs little. */
  readonly sparesMemory: boolean;
}

/** A model up to its unembedding, over rows that each start at position 0. */
export interface Decoder {
  /** Normed, `[rows, time, hidden]`. */
  readonly output: Value;
  readonly layers: readonly DecoderLayer[];
  readonly norm: RmsNorm;
  readonly rope: Rope;
  readonly options: DecoderOptions;
}

interface DecoderLayer {
  readonly input: Value;
  readonly attention: AttentionBlock;
  readonly mlp: MlpBlock;
}

/** @param tokens - int32 ids, `[rows, time]`, rows padded at their end with any id */
export function decoder(
  graph: GraphBuilder,
  model: ModelValues,
  tokens: Value,
  options: DecoderOptions,
): Decoder {
  const { config } = model;
  const start = graph.initializer("rope.start", "int64", [1], BigInt64Array.of(0n));
  const tables = ropeTables({ ...config, contextLength: options.longestRow ?? config.contextLength });
  const rope = ropeValues(graph, tables, config.headSize, start);
  const layers: DecoderLayer[] = [];
  let hidden = gatherRows(graph, model.embedding, tokens);
  for (let index = 0; index < config.layerCount; index += 1) {
    const layer = decoderLayer(graph, model, index, hidden, rope, options.attend);
    layers.push(layer);
    hidden = layer.mlp.output;
  }
  const norm = rmsNorm(graph, hidden, model.norm("model.norm"), config.rmsNormEpsilon);
  return { output: norm.output, layers, norm, rope, options };
}

/**
 * Gradients of the layers' adapters from that of the decoder's output. It is written down to the embedding; what no adapter needs is left
 * out when the graph is built, since nothing asks for it.
 */
export function decoderBackward(
  graph: GraphBuilder,
  model: ModelValues,
  saved: Decoder,
  gradient: Value,
  adapters: AdapterGradients,
): void {
  const { rope, options } = saved;
  let dHidden = rmsNormBackward(graph, saved.norm, gradient);
  for (const [index, layer] of [...saved.layers.entries()].reverse()) {
    // Takes the shape of the gradient, and so waits for it: until then only the input is in memory.
    const again = () => reshapeLike(graph, layer.input, dHidden);
    const { attention, mlp } = options.isRecomputed
      ? decoderLayer(graph, model, index, again(), rope, options.attend)
      : layer;
    dHidden = mlpBlockBackward(graph, mlp, dHidden, adapters, options.sparesMemory);
    dHidden = attentionBlockBackward(graph, model, attention, dHidden, adapters);
  }
}

function decoderLayer(
  graph: GraphBuilder,
  model: ModelValues,
  index: number,
  input: Value,
  rope: Rope,
  attend: Attend,
): DecoderLayer {
  const attention = attentionBlock(graph, model, index, input, rope, attend);
  const mlp = mlpBlock(graph, model, index, attention.output);
  return { input, attention, mlp };
}
