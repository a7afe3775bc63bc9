import type { ModelConfig } from "../model/model-config.js";

/** More tokens at once are no faster: by then every matrix product fills the cores. */
const mostTokens = 2048;
/** Fewer tokens are not worth a run. */
export const MIN_TOKENS_PER_RUN = 64;
/** Bytes that the intermediate results of one run may take where nothing else is said. */
export const DEFAULT_RUN_BYTES = 1.5e9;

/**
 * Estimates the bytes of intermediate results that one token of a training run takes. Between the two halves of a run there are about
 * 4 numbers for each logit; in each layer 14 of the hidden and 7 of the intermediate size; and the attention of each head to every
 * token of the row. The runtime took 78 % of that for SmolLM2-135M at 512 tokens a row, and 90 % for the built-in model.
 *
 * @param time - tokens of its row, padding included
 */
export function trainingBytesPerToken(config: ModelConfig, time: number): number {
  const { vocabularySize, layerCount, hiddenSize, intermediateSize, headCount } = config;
  const numbers =
    4 * vocabularySize + layerCount * (14 * hiddenSize + 7 * intermediateSize + headCount * time);
  return numbers * Float32Array.BYTES_PER_ELEMENT;
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
