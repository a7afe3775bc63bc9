import type { ModelConfig } from "../model/model-config.js";

/** More tokens at once are no faster: by then every matrix product fills the cores. */
const mostTokens = 2048;
const leastTokens = 64;
/** Bytes that the intermediate results of one run may take. */
const memoryBytes = 1.5e9;

/**
 * Computes the number of tokens that one run of the training graph may hold. Small models are bound by speed, large ones by memory: between
 * the two halves of a run there are about 4 numbers for each logit, and in each layer 14 of the hidden and 7 of the
 * intermediate size, for every token. Attention scores come on top; they are small for short rows.
 */
export function defaultTokensPerRun(config: ModelConfig): number {
  const { vocabularySize, layerCount, hiddenSize, intermediateSize } = config;
  const numbers = 4 * vocabularySize + layerCount * (14 * hiddenSize + 7 * intermediateSize);
  const affordable = Math.floor(memoryBytes / (numbers * Float32Array.BYTES_PER_ELEMENT));
  return Math.min(mostTokens, Math.max(leastTokens, affordable));
}
