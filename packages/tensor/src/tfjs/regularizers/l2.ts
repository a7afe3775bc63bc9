import { tf } from "../tf.js";
import { countedDifference } from "./counted-difference.js";
import type { NormOptions } from "./l1.js";
import type { LossTerm } from "./loss-term.js";
import { checkReference } from "./reference-row.js";
import { checkTermOptions } from "./term-options.js";

/**
 * Adds `Σ (p − r)²` over the positions that count, `p` the log-probability and `r` the reference. Its pull grows with the distance,
 * so surprising tokens are drawn in first (the penalty of Hoerl and Kennard's ridge regression, 1970, on log-probabilities).
 */
export function l2(options: NormOptions): LossTerm {
  checkTermOptions(options, { weight: true, name: true, reference: true }, "l2");
  const { weight, name = "l2", reference } = options;
  if (reference !== undefined) checkReference(reference, "l2");
  return {
    name,
    weight,
    loss: (context) => ({ loss: tf.sum(tf.square(countedDifference(context, reference))) }),
  };
}
