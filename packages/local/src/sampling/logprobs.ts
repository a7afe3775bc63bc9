import { TinkexError } from "@tinkex/base";

/** Unnormalised log-probabilities of every token of the vocabulary. */
export type Logits = Float32Array | Float64Array;

/** Logits of the token behind a place. The log-probability of a token is its logit less the normaliser. */
export interface Prediction {
  readonly logits: Float32Array;
  /** Natural logarithm of Σ exp(logits). */
  readonly normaliser: number;
}

/**
 * A prediction from what the graph gives. The normaliser is the largest logit less its log-probability, which is near 0: where logits are
 * large, a float32 would not have the digits for it.
 */
export function predictionOf(logits: Float32Array, bestLogprob: number): Prediction {
  return { logits, normaliser: maxOf(logits) - bestLogprob };
}

/** @throws TinkexError when the logits are not numbers: then the normaliser is none either */
export function requireNumbers({ normaliser }: Prediction): void {
  if (Number.isFinite(normaliser)) return;
  throw new TinkexError(
    "the model's logits are not numbers: the weights have diverged; " +
      "train again from an earlier checkpoint with a lower learning rate",
    { code: "request_failed" },
  );
}

// Loops by index: `for … of` over a vocabulary takes eight times as long.

/** The largest of a vocabulary's logits. */
export function maxOf(logits: Logits): number {
  let max = -Infinity;
  for (let id = 0; id < logits.length; id += 1) {
    const logit = logits[id] ?? -Infinity;
    if (logit > max) max = logit;
  }
  return max;
}
