import { tf } from "../tf.js";
import { countedDifference } from "./counted-difference.js";
import type { NormOptions } from "./l1.js";
import type { LossTerm } from "./loss-term.js";

/**
 * `Σ (p − r)²` over the positions that count, `p` the log-probability and `r` the reference. Its pull grows with the distance,
 * so surprising tokens are drawn in first (the penalty of Hoerl and Kennard's ridge regression, 1970, on log-probabilities).
 */
export function l2({ weight, name = "l2", reference }: NormOptions): LossTerm {
  return {
    name,
    weight,
    loss: (context) => ({ loss: tf.sum(tf.square(countedDifference(context, reference))) }),
  };
}
