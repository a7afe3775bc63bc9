import { checkObject, describeValue, ValidationError } from "@tinkex/base";
import { checkNumber, checkNumbers } from "../arguments/check-numbers.js";
import { mean } from "../arithmetic/sums.js";

/** Log-probabilities of whole answers, one for each pair: of the model that is trained, and of the one it began as. */
export interface PairLogprobs {
  readonly chosen: readonly number[];
  readonly rejected: readonly number[];
  readonly chosenReference: readonly number[];
  readonly rejectedReference: readonly number[];
}

/** Loss of a batch of pairs, its slopes, and what there is to watch. */
export interface DpoLoss {
  readonly loss: number;
  /** Slope of the loss by each of `chosen`. */
  readonly chosenGradients: readonly number[];
  readonly rejectedGradients: readonly number[];
  readonly metrics: {
    readonly dpo_loss: number;
    /** Share of pairs whose chosen answer has gained more than the other. */
    readonly accuracy: number;
    /** Mean of the chosen reward less the rejected one. */
    readonly margin: number;
    readonly chosen_reward: number;
    readonly rejected_reward: number;
  };
}

/**
 * Direct preference optimisation: −mean log σ(β (Δchosen − Δrejected)), where Δ is what an answer has gained over the model of reference.
 * Rafailov et al. 2023, https://arxiv.org/abs/2305.18290
 *
 * @param beta - strength with which the model is held to the reference
 * @throws ValidationError when the four arrays differ in length or are empty
 */
export function dpoLoss(logprobs: PairLogprobs, beta: number): DpoLoss {
  checkObject(logprobs, "dpoLoss: logprobs", "{ chosen, rejected, chosenReference, rejectedReference }");
  const { chosen, rejected, chosenReference, rejectedReference } = logprobs;
  checkNumbers(chosen, "dpoLoss: chosen");
  for (const [name, values] of Object.entries({ chosen, rejected, chosenReference, rejectedReference })) {
    checkNumbers(values, `dpoLoss: ${name}`);
    if (values.length === chosen.length && values.length > 0) continue;
    throw new ValidationError(
      `dpoLoss: ${name} must have one number for each pair and at least one, got ${values.length} beside ${chosen.length} of chosen`,
    );
  }
  checkNumber(beta, "dpoLoss: beta");
  if (!(beta > 0)) throw new ValidationError(`dpoLoss: beta must be above 0, got ${describeValue(beta)}`);
  const chosenRewards = Array.from(chosen, (value, pair) => beta * (value - (chosenReference[pair] ?? 0)));
  const rejectedRewards = Array.from(
    rejected,
    (value, pair) => beta * (value - (rejectedReference[pair] ?? 0)),
  );
  const margins = chosenRewards.map((reward, pair) => reward - (rejectedRewards[pair] ?? 0));
  const loss = mean(margins.map(negativeLogSigmoid));
  // d −log σ(m) / dm = −σ(−m)
  const slopes = margins.map((margin) => (-beta * sigmoid(-margin)) / margins.length);
  return {
    loss,
    chosenGradients: slopes,
    rejectedGradients: slopes.map((slope) => -slope),
    metrics: {
      dpo_loss: loss,
      accuracy: mean(margins.map((margin) => (margin > 0 ? 1 : 0))),
      margin: mean(margins),
      chosen_reward: mean(chosenRewards),
      rejected_reward: mean(rejectedRewards),
    },
  };
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** −log σ, without the overflow of `exp` for large negative numbers. */
function negativeLogSigmoid(value: number): number {
  return Math.max(-value, 0) + Math.log1p(Math.exp(-Math.abs(value)));
}
