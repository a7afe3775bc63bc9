import { weightBytes } from "../model/check-model-size.js";
import type { ModelConfig } from "../model/model-config.js";

/** Weights, as float32, up to which a second copy of them during a run is nothing. */
const MAX_SMALL_BYTES = 2 ** 26;

/**
 * Tells whether training trades memory for time. It adds the adapters of a small model to its matrices before it multiplies by them: a run
 * has more tokens than a matrix has rows, so that to change the matrix once is cheaper than to change all of its products, forward and
 * back. And it keeps activations that a large model computes again. A large model would have its matrices in memory twice, for no gain.
 */
export function isSmallModel(config: ModelConfig): boolean {
  return weightBytes(config) <= MAX_SMALL_BYTES;
}
