import { checkKnownNames } from "@tinkex/types/base";
import { tf } from "../tf.js";
import { countedDifference } from "./counted-difference.js";
import type { LossTerm, TermOptions } from "./loss-term.js";
import type { Reference } from "./reference-row.js";

/** What {@link l1} and `l2` take. */
export interface NormOptions extends TermOptions {
  /** Log-probabilities to stay near. @defaultValue 0 everywhere, the log-probability of certainty */
  readonly reference?: Reference | undefined;
}

/**
 * `Σ |p − r|` over the positions that count, `p` the log-probability and `r` the reference. Its pull is the same however far
 * off a position is, so most end at their reference exactly (the penalty of Tibshirani's lasso, 1996, on log-probabilities:
 * nothing else of the model reaches a custom loss; weight decay of the adapter is the optimizer's `weight_decay`).
 */
export function l1(options: NormOptions): LossTerm {
  checkKnownNames(options, { weight: true, name: true, reference: true }, "l1");
  const { weight, name = "l1", reference } = options;
  return {
    name,
    weight,
    loss: (context) => ({ loss: tf.sum(tf.abs(countedDifference(context, reference))) }),
  };
}
