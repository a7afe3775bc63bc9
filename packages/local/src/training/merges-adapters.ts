import { weightBytes } from "../model/check-model-size.js";
import type { ModelConfig } from "../model/model-config.js";

/** Weights of a model, as float32, up to which a second copy of them during a run is nothing. */
const MAX_MERGED_BYTES = 2 ** 26;

/**
 * Tells whether training adds adapters to the matrices of a model before it multiplies by them. A run of a small model has more tokens than
 * a matrix has rows: to change the matrix once is cheaper than to change all of its products, forward and back. A large model's would
 * be in memory twice, for no gain.
 */
export function mergesAdapters(config: ModelConfig): boolean {
  return weightBytes(config) <= MAX_MERGED_BYTES;
}
