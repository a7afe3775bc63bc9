import { sum } from "../arithmetic/sums.js";
import { type DpoLoss, dpoLoss } from "./dpo-loss.js";

/** Loss of a batch with the slope of each log-probability, as `forwardBackwardCustom` takes it. */
export interface DpoBatchLoss extends Pick<DpoLoss, "loss" | "metrics"> {
  /** One array for each datum. */
  readonly gradients: readonly (readonly number[])[];
}

/**
 * The loss of DPO over a batch of datums, chosen and rejected in turn.
 *
 * @param logprobs - of each datum, position by position
 * @param weights - of each datum; an answer counts by the sum of its log-probabilities times these
 * @param reference - of each answer, that sum by the model of reference
 */
export function dpoBatchLoss(
  logprobs: readonly ArrayLike<number>[],
  weights: readonly (readonly number[])[],
  reference: readonly number[],
  beta: number,
): DpoBatchLoss {
  const scores = logprobs.map((row, index) => answerLogprob(row, weights[index] ?? []));
  const [chosen, rejected] = inTurn(scores);
  const [chosenReference, rejectedReference] = inTurn(reference);
  const { loss, metrics, chosenGradients, rejectedGradients } = dpoLoss(
    { chosen, rejected, chosenReference, rejectedReference },
    beta,
  );
  const slopes = chosenGradients.flatMap((slope, pair) => [slope, rejectedGradients[pair] ?? 0]);
  return {
    loss,
    metrics,
    gradients: weights.map((row, index) => row.map((weight) => weight * (slopes[index] ?? 0))),
  };
}

/** The log-probability of an answer as a whole. */
export function answerLogprob(logprobs: ArrayLike<number>, weights: readonly number[]): number {
  return sum(weights.map((weight, place) => (weight === 0 ? 0 : weight * Number(logprobs[place]))));
}

function inTurn(values: readonly number[]): readonly [first: number[], second: number[]] {
  return [values.filter((_, index) => index % 2 === 0), values.filter((_, index) => index % 2 === 1)];
}
