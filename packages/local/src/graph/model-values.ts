import { adaptableModules } from "../model/adaptable-modules.js";
import type { ModelConfig } from "../model/model-config.js";
import type { GraphWeights, StoredTensor } from "../model/model-tensors.js";
import { PAGE_BYTES } from "../model/page-bytes.js";
import type { GraphBuilder } from "../onnx/graph-builder.js";
import type { Value } from "../onnx/value.js";
import type { FrozenMatrix, PartedMatrix } from "./frozen-matrix.js";
import type { LinearWeights } from "./lora-linear.js";
import { quantizedMatrix } from "./quantized-matrix.js";

/** The weights of a model inside a graph: frozen ones as part of it, adapters as inputs of each run. */
export interface ModelValues {
  readonly config: ModelConfig;
  /** `[vocabulary, hidden]` */
  readonly embedding: Value;
  /** A norm's weight, e.g. of `model.norm`. */
  norm(module: string): Value;
  /** A linear layer with its bias and adapter, if it has them; `lm_head` is the embedding where the two are tied. */
  linear(module: string): LinearWeights;
}

/** Name of the graph input that holds α / rank. */
export const adapterScaleInput = "adapter.scale";

/** Names of the graph inputs of a module's two factors, `[rank, in]` and `[out, rank]`. */
export const adapterInputs = (module: string) => ({ a: `${module}.lora_A`, b: `${module}.lora_B` });

/** Rows of an unembedding above which training divides it, see {@link PartedMatrix}. Parts of 1,024 to 12,288 rows were about as fast. */
const MAX_ROWS = 2048;

/**
 * @param adapted - names of the linear layers that carry an adapter; the rank is open, so that one compiled graph serves
 * adapters of every rank
 * @param isMerged - true where adapters are added to the matrices, see `LoraAdapter`
 */
export function modelValues(
  graph: GraphBuilder,
  config: ModelConfig,
  weights: GraphWeights,
  adapted: ReadonlySet<string>,
  isMerged = false,
): ModelValues {
  const modules = new Map(adaptableModules(config).map((module) => [module.module, module]));
  const frozen = (name: string, alias = name): Value => {
    const stored = weights.stored?.(name);
    if (stored !== undefined) return graph.externalInitializer(alias, "float32", stored.shape, stored.place);
    const { data, shape } = weights.get(name);
    return graph.initializer(name, "float32", shape, data);
  };
  const embeddingName = "model.embed_tokens.weight";
  const embedding = frozen(embeddingName);
  // A packed copy for the unembedding lets go of what it was made from. Under a name of its own that is all of it; the
  // embedding, from which tokens look up their rows, is then read where a row is wanted.
  const unembedding = (isTied: boolean): FrozenMatrix => {
    const name = isTied ? embeddingName : "lm_head.weight";
    const stored = graph.isPacked ? undefined : weights.stored?.(name);
    if (stored !== undefined && (stored.shape[0] ?? 0) > MAX_ROWS)
      return partsOf(graph, "lm_head.weight", stored);
    return isTied && !graph.isPacked ? embedding : frozen(name, "lm_head.weight");
  };
  return {
    config,
    embedding,
    norm: (module) => frozen(`${module}.weight`),
    linear(module) {
      const size = modules.get(module);
      if (size === undefined) throw new Error(`the model has no linear layer "${module}"`);
      const tied = module === "lm_head" && config.tiedEmbeddings;
      const quantized = weights.quantized?.(`${module}.weight`);
      const float32 = () => (module === "lm_head" ? unembedding(tied) : frozen(`${module}.weight`));
      const weight = quantized ? quantizedMatrix(graph, `${module}.weight`, quantized) : float32();
      const bias = size.hasBias ? frozen(`${module}.bias`) : undefined;
      if (!adapted.has(module)) return { weight, bias };
      const names = adapterInputs(module);
      const adapter = {
        a: graph.input(names.a, "float32", ["rank", size.inputSize]),
        b: graph.input(names.b, "float32", [size.outputSize, "rank"]),
        scale: graph.input(adapterScaleInput, "float32", []),
        isMerged,
      };
      return { weight, bias, adapter };
    },
  };
}

/** A stored matrix as parts of about equal numbers of rows, which begin where the file can be mapped. */
function partsOf(graph: GraphBuilder, name: string, { shape, place }: StoredTensor): PartedMatrix {
  const [rows = 0, columns = 0] = shape;
  const rowBytes = columns * Float32Array.BYTES_PER_ELEMENT;
  const even = Math.ceil(rows / Math.ceil(rows / MAX_ROWS));
  // Of a hidden size that is no multiple of 8, no part has whole pages; such parts may lie anywhere.
  const whole = Math.min(rowsOfWholePages(rowBytes), MAX_ROWS);
  const most = Math.ceil(even / whole) * whole;
  const parts: Value[] = [];
  for (let start = 0; start < rows; start += most) {
    const count = Math.min(most, rows - start);
    const part = { ...place, offset: place.offset + start * rowBytes, byteLength: count * rowBytes };
    parts.push(graph.externalInitializer(`${name}.${start}`, "float32", [count, columns], part));
  }
  return { parts };
}

/** Least number of rows whose bytes are whole pages: both are powers of two, but for an odd factor of the row. */
function rowsOfWholePages(rowBytes: number): number {
  const largestPowerOfTwo = rowBytes & -rowBytes;
  return PAGE_BYTES / Math.min(largestPowerOfTwo, PAGE_BYTES);
}
