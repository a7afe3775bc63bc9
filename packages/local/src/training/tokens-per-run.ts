import type { ModelConfig } from "../model/model-config.js";
import { isSmallModel } from "./is-small-model.js";

/** More tokens at once are no faster: by then every matrix product fills the cores. */
const mostTokens = 2048;
/** Fewer tokens are not worth a run. */
export const MIN_TOKENS_PER_RUN = 64;
/** Bytes that the intermediate results of one run may take where nothing else is said. */
export const DEFAULT_RUN_BYTES = 1e9;

/**
 * Estimates the bytes of intermediate results that one token of a training run takes. Between the two halves of a run there are in each layer
 * 4 numbers of the hidden size, 3 of the width of queries and of keys, or 5 where these are normed, 2 of the intermediate size, and the
 * attention of each head to every token of the row and a quarter more, for what is made of it; and log-probabilities of the vocabulary, twice
 * in part. A small model has more of some, see `isSmallModel`. SmolLM2-135M took 89 % of that in rows of 128 tokens and 85 % of 512, the built-in
 * models 90 to 97 %; layers of Qwen3-0.6B's sizes some 105 %.
 *
 * @param time - tokens of its row, padding included
 */
export function trainingBytesPerToken(config: ModelConfig, time: number): number {
  const { vocabularySize, layerCount, hiddenSize, intermediateSize, headCount, queryKeyNorm } = config;
  const copies = isSmallModel(config) ? { inner: 5, vocabulary: 4 } : { inner: 2, vocabulary: 2 };
  const attention = (queryKeyNorm ? 5 : 3) * projectedWidth(config) + 1.25 * headCount * time;
  const layer = 4 * hiddenSize + attention + copies.inner * intermediateSize;
  return (layerCount * layer + copies.vocabulary * vocabularySize) * Float32Array.BYTES_PER_ELEMENT;
}

/** Numbers of a token's queries and keys, which need not be as wide as the hidden state. */
function projectedWidth({ headCount, keyValueHeadCount, headSize }: ModelConfig): number {
  return (headCount + keyValueHeadCount) * headSize;
}

/**
 * Makes the function that gives the number of tokens that one run of the training graph may hold, by the length of its rows. Small models
 * are bound by speed, large ones by memory.
 */
export function tokensPerRun(config: ModelConfig, runBytes = DEFAULT_RUN_BYTES): (time: number) => number {
  return (time) => {
    const affordable = Math.floor(runBytes / trainingBytesPerToken(config, time));
    return Math.min(mostTokens, Math.max(MIN_TOKENS_PER_RUN, affordable));
  };
}

/** Bytes that one row may take at once where nothing else is said: SmolLM2-135M's of 820 tokens. By blocks it takes about as long. */
export const DEFAULT_ROW_BYTES = 2e9;
/** Tokens that a long row's attention and logits are computed for at a time. */
export const BLOCK_LENGTH = 256;

/**
 * Estimates the bytes that a row takes which is computed by blocks: the input of every layer, all of one layer, and for one block its
 * logits and its attention to the whole row. SmolLM2-135M took 88 % of that for 8,192 tokens; layers of Qwen3-0.6B's sizes, all of it for
 * 4,096.
 */
export function blockedRowBytes(config: ModelConfig, time: number, blockLength = BLOCK_LENGTH): number {
  const { vocabularySize, layerCount, hiddenSize, intermediateSize, headCount, queryKeyNorm } = config;
  const attention = (queryKeyNorm ? 12 : 8) * projectedWidth(config);
  const row = (layerCount + 4) * hiddenSize + attention + 5 * intermediateSize;
  const block = 4 * vocabularySize + 5 * headCount * time;
  return (time * row + blockLength * block) * Float32Array.BYTES_PER_ELEMENT;
}
