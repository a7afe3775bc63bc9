import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { EngineOptions } from "../engine/engine-options.js";
import { checkGraphSize, checkRotaryTables, weightBytes } from "../model/check-model-size.js";
import { digestTensors } from "../model/digest-tensors.js";
import type { ModelConfig } from "../model/model-config.js";
import type { GraphWeights, ModelTensors } from "../model/model-tensors.js";
import { openModelWeights } from "../model/model-weights.js";
import { storeWeights } from "../model/store-weights.js";
import { matrixNames, vectorNames } from "../model/weight-shapes.js";
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
 * WebAssembly has no files to map.
 *
 * @param minSharedBytes - of all weights as float32. Default: 64 MiB
 * @throws ValidationError when the directory holds no such model, or one beyond the limits; TinkexError `server_error`
 * when its file cannot be written
 */
export function openEngineWeights(
  config: ModelConfig,
  { model: { directory }, cacheDirectory }: EngineOptions,
  runtime: RuntimeName,
  minSharedBytes = MIN_SHARED_BYTES,
): EngineWeights {
  checkRotaryTables(config, directory);
  const isShared =
    cacheDirectory !== undefined && runtime === "native" && weightBytes(config) >= minSharedBytes;
  if (!isShared) checkGraphSize(config, directory);
  const weights = openModelWeights(directory, config);
  try {
    if (!isShared) {
      const fingerprint = fingerprintOf(config, weights, digestTensors(weights, matrixNames(config)));
      return { ...weights, fingerprint };
    }
    const { digest, ...stored } = storeWeights(weights, config, directory, resolve(cacheDirectory));
    return { ...stored, fingerprint: fingerprintOf(config, weights, digest), close: () => weights.close() };
  } catch (error) {
    weights.close();
    throw error;
  }
}

/** @param matrices - digest of the matrices, which are most of the weights */
function fingerprintOf(config: ModelConfig, tensors: Pick<ModelTensors, "pieces">, matrices: string): string {
  const told = [config, matrices, digestTensors(tensors, vectorNames(config))];
  return createHash("sha256").update(JSON.stringify(told)).digest("hex");
}
