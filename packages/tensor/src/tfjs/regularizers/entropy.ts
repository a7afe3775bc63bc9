import { tf } from "../tf.js";
import { countedMask, keepCounted } from "./counted-mask.js";
import type { LossTerm, TermOptions } from "./loss-term.js";
import { hasCandidates, isSampled } from "./target-kinds.js";
import { checkTermOptions } from "./term-options.js";

/**
 * Minus the entropy of the model's next-token distributions, so that a positive weight keeps them broad and a negative one
 * sharpens them (Williams and Peng 1991). Summed over the positions that count, `p` the log-probability:
 *
 * - targets `[N, K]` are candidates: `Σ exp(p)·p`, which is minus the entropy where they are the whole vocabulary, and the
 *   candidates' part of it otherwise;
 * - targets `[N]` are taken as samples of the model: `Σ ½p²`, whose gradient `p·∇p` has the expectation `∇Σ exp(p)·p`. (The
 *   gradient of the plain estimate, `Σ p`, has the expectation 0, and would train nothing.) On tokens that somebody else wrote
 *   it is not an entropy: use candidates.
 *
 * The metric `<name>:sum` is the entropy itself in nats: `−Σ exp(p)·p` of candidates, the estimate `−Σ p` of samples.
 */
export function entropy(options: TermOptions): LossTerm {
  checkTermOptions(options, { weight: true, name: true }, "entropy");
  const { weight, name = "entropy" } = options;
  return {
    name,
    weight,
    loss: (context) => {
      const samples = keepCounted(context.joined, countedMask(context, isSampled));
      const listed = keepCounted(context.joined, countedMask(context, hasCandidates));
      const negative = tf.sum(tf.mul(tf.exp(listed), listed));
      return {
        loss: tf.add(negative, tf.mul(0.5, tf.sum(tf.square(samples)))),
        metrics: { [`${name}:sum`]: tf.neg(tf.add(negative, tf.sum(samples))) },
      };
    },
  };
}
