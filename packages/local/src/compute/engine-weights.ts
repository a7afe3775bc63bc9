import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { EngineOptions } from "../engine/engine-options.js";
import { checkGraphSize, checkRotaryTables, weightBytes } from "../model/check-model-size.js";
import type { ModelConfig } from "../model/model-config.js";
import type { GraphWeights } from "../model/model-tensors.js";
import { type ModelWeights, openModelWeights } from "../model/model-weights.js";
import { storeWeights } from "../model/store-weights.js";
import type { RuntimeName } from "../runtime/runtime.js";

/** Smallest model whose weights its graphs share; below that, a copy in each costs little and computes faster. */
const MIN_SHARED_BYTES = 2 ** 26;

/** Weights for the graphs of an engine, until it is closed. */
export interface EngineWeights extends GraphWeights {
  /** Differs where a later engine has other files of weights, or another configuration. */
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
  const isShared = runtime === "native" && weightBytes(config) >= minSharedBytes;
  if (!isShared) checkGraphSize(config, directory);
  const weights = openModelWeights(directory, config);
  const fingerprint = fingerprintOf(config, weights);
  if (!isShared) return { ...weights, fingerprint };
  const folder =
    cacheDirectory === undefined ? mkdtempSync(join(tmpdir(), "tinkex-weights-")) : resolve(cacheDirectory);
  const close = () => {
    weights.close();
    if (cacheDirectory === undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { ...storeWeights(weights, config, directory, folder), fingerprint, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Digests what the files are but for their inodes, which file systems on other machines number anew. */
function fingerprintOf(config: ModelConfig, { files }: ModelWeights): string {
  const told = files.map(({ inode: _, ...file }) => file);
  return createHash("sha256")
    .update(JSON.stringify([config, told]))
    .digest("hex");
}
