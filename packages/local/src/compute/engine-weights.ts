import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { EngineOptions } from "../engine/engine-options.js";
import { checkGraphSize, checkRotaryTables, weightBytes } from "../model/check-model-size.js";
import { digestTensors } from "../model/digest-tensors.js";
import type { ModelConfig } from "../model/model-config.js";
import type { GraphWeights } from "../model/model-tensors.js";
import { openModelWeights } from "../model/model-weights.js";
import { quantizedWeights } from "../model/quantized-weights.js";
import { storeWeights } from "../model/store-weights.js";
import { matrixNames, vectorNames } from "../model/weight-shapes.js";
import { BITS_OF_FORMAT, type WeightFormat } from "../quantization/weight-format.js";
import type { RuntimeName } from "../runtime/runtime.js";

/** Smallest model whose weights its graphs share; below that, a copy in each costs little and computes faster. */
const MIN_SHARED_BYTES = 2 ** 26;

/** Weights for the graphs of an engine, until it is closed. */
export interface EngineWeights extends GraphWeights {
  /** Differs where a later engine has other numbers as weights, or another configuration, whatever became of the files. */
  readonly fingerprint: string;
  /** Once nothing is compiled any more. */
  close(): void;
}

/**
 * Opens the weights of a model: a large one's lie in a file that the native runtime maps, others are put into each graph.
 * WebAssembly has no files to map. The matrices of linear layers are float32 or quantized.
 *
 * @param minSharedBytes - of all weights as float32. Default: 64 MiB
 * @throws ValidationError when the directory holds no such model, or one beyond the limits; TinkexError `server_error`
 * when its file cannot be written
 */
export function openEngineWeights(
  config: ModelConfig,
  { model: { directory, weights: format = "float32" }, cacheDirectory }: EngineOptions,
  runtime: RuntimeName,
  minSharedBytes = MIN_SHARED_BYTES,
): EngineWeights {
  checkRotaryTables(config, directory);
  const isShared =
    cacheDirectory !== undefined && runtime === "native" && weightBytes(config) >= minSharedBytes;
  if (!isShared) checkGraphSize(config, directory);
  const weights = openModelWeights(directory, config);
  try {
    const close = () => weights.close();
    const fingerprint = (matrices: string) =>
      fingerprintOf(config, format, digestTensors(weights, vectorNames(config)), matrices);
    if (isShared) {
      const folder = resolve(cacheDirectory);
      const { digest, ...stored } = storeWeights(weights, config, directory, folder, format);
      return { ...stored, fingerprint: fingerprint(digest), close };
    }
    const digest = digestTensors(weights, matrixNames(config));
    const bits = BITS_OF_FORMAT[format];
    const inGraph = bits === undefined ? weights : quantizedWeights(weights, config, bits);
    return { ...inGraph, fingerprint: fingerprint(digest), close };
  } catch (error) {
    weights.close();
    throw error;
  }
}

/** @param vectors - digest of norms and biases @param matrices - digest of the others, which are most of the weights */
function fingerprintOf(config: ModelConfig, format: WeightFormat, vectors: string, matrices: string): string {
  return createHash("sha256")
    .update(JSON.stringify([config, format, matrices, vectors]))
    .digest("hex");
}
