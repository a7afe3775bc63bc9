import { tf } from "../tf.js";
import { countedDifference } from "./counted-difference.js";
import type { LossTerm, TermOptions } from "./loss-term.js";
import { checkReference, type Reference } from "./reference-row.js";
import { checkTermOptions } from "./term-options.js";

/** Options of {@link l1} and `l2`. */
export interface NormOptions extends TermOptions {
  /** Log-probabilities to stay near. @defaultValue 0 everywhere, the log-probability of certainty */
  readonly reference?: Reference | undefined;
}

/**
 * Adds `Σ |p − r|` over the positions that count, `p` the log-probability and `r` the reference. Its pull is the same however far
 * off a position is and none at the reference itself, so most end at their reference exactly (the penalty of Tibshirani's
 * lasso, 1996, on log-probabilities: nothing else of the model reaches a custom loss; weight decay of the adapter is the
 * optimizer's `weight_decay`).
 */
export function l1(options: NormOptions): LossTerm {
  checkTermOptions(options, { weight: true, name: true, reference: true }, "l1");
  const { weight, name = "l1", reference } = options;
  if (reference !== undefined) checkReference(reference, "l1");
  return {
    name,
    weight,
    loss: (context) => {
      const difference = countedDifference(context, reference);
      // Not tf.abs, which has the slope -1 at 0: all would be pushed off their reference where they stand on it.
      return { loss: tf.sum(tf.mul(difference, tf.sign(difference))) };
    },
  };
}
