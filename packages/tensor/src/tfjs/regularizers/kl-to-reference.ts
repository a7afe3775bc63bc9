import type { Tensor, Tensor1D } from "@tensorflow/tfjs-core";
import { describeValue, ValidationError } from "@tinkex/base";
import { tf } from "../tf.js";
import { countedMask, keepCounted } from "./counted-mask.js";
import type { LossTerm, TermOptions } from "./loss-term.js";
import { checkReference, type Reference, referenceRow } from "./reference-row.js";
import { hasCandidates, isSampled } from "./target-kinds.js";
import { checkTermOptions } from "./term-options.js";

/** Options of {@link klToReference}. */
export interface KlOptions extends TermOptions {
  /** The reference model's log-probabilities of the same targets. @defaultValue "reference_logprobs" */
  readonly reference?: Reference | undefined;
  /** Estimate that is minimised where targets are samples. @defaultValue "k2" */
  readonly estimator?: KlEstimator | undefined;
}

/** Schulman's names for estimates of KL(model ‖ reference) from samples of the model. */
export type KlEstimator = keyof typeof ESTIMATORS;

/** By the difference `d = p − r` of the model's log-probability and the reference's. */
const ESTIMATORS = {
  k2: (difference: Tensor1D): Tensor => tf.mul(0.5, tf.square(difference)),
  k3: (difference: Tensor1D): Tensor => tf.add(tf.expm1(tf.neg(difference)), difference),
} as const;

/**
 * Adds the divergence KL(model ‖ reference), which keeps the model near the one it began as. Summed over the positions that count,
 * `p` the log-probability and `r` that of the reference:
 *
 * - targets `[N, K]` are candidates: `Σ exp(p)·(p − r) − exp(p) + exp(r)`, which is the divergence where they are the whole
 *   vocabulary, and never negative where they are not;
 * - targets `[N]` are taken as samples of the model, for which Schulman ("Approximating KL Divergence", 2020) names `k2`,
 *   `Σ ½(p − r)²`, and `k3`, `Σ exp(r − p) − 1 − (r − p)`. The gradient of `k2` has the expectation of the divergence's own; that of
 *   `k3`, which GRPO minimises (Shao et al. 2024), has that of KL(reference ‖ model) instead.
 *
 * The metric `<name>:sum` is the divergence in nats: of samples by `k3`, whose expectation is exact.
 *
 * @throws ValidationError for an unknown estimator; when it runs, for a datum without its reference
 */
export function klToReference(options: KlOptions): LossTerm {
  checkTermOptions(options, { weight: true, name: true, reference: true, estimator: true }, "klToReference");
  const { weight, name = "kl", reference = "reference_logprobs", estimator = "k2" } = options;
  checkReference(reference, "klToReference");
  if (!Object.hasOwn(ESTIMATORS, estimator)) {
    throw new ValidationError(
      `estimator: ${describeValue(estimator)} is none of ${Object.keys(ESTIMATORS).join(", ")}`,
      { path: ["estimator"] },
    );
  }
  return {
    name,
    weight,
    loss: (context) => {
      const references = referenceRow(reference, context);
      const listed = countedMask(context, hasCandidates);
      const divergence = divergenceOf(keepCounted(context.joined, listed), keepCounted(references, listed));
      const difference = keepCounted(
        tf.sub<Tensor1D>(context.joined, references),
        countedMask(context, isSampled),
      );
      return {
        loss: tf.add(divergence, tf.sum(ESTIMATORS[estimator](difference))),
        metrics: { [`${name}:sum`]: tf.add(divergence, tf.sum(ESTIMATORS.k3(difference))) },
      };
    },
  };
}

/** Computes `Σ exp(p)·(p − r) − exp(p) + exp(r)`. */
function divergenceOf(logprobs: Tensor1D, references: Tensor1D): Tensor {
  const probabilities = tf.exp(logprobs);
  const weighted = tf.mul(probabilities, tf.sub(logprobs, references));
  return tf.sum(tf.add(tf.sub(weighted, probabilities), tf.exp(references)));
}
