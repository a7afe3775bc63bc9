import { type TensorData, ValidationError } from "@tinkex/base";
import type { Datum } from "@tinkex/types";

/** Numbers of one datum of a pass, position by position. */
export interface LoggedDatum {
  readonly logprobs: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
  readonly targets: ArrayLike<number>;
}

/**
 * Numbers of a datum, beside the log-probabilities that the service gave its targets. Weights are 1 where it has none.
 *
 * @throws ValidationError when the service gave no log-probabilities, or the datum has no targets
 */
export function plainNumbers(datum: Datum, logprobs: TensorData | undefined): LoggedDatum {
  const { target_tokens: targets, weights } = datum.loss_fn_inputs;
  if (logprobs === undefined || targets === undefined) {
    throw new ValidationError("the pass gave no logprobs for a datum, or the datum has no target_tokens");
  }
  return {
    logprobs: numbers(logprobs),
    targets: numbers(targets),
    weights: weights === undefined ? numbers(targets).map(() => 1) : numbers(weights),
  };
}

/** Elements of a tensor as plain numbers. */
export function numbers(tensor: TensorData): readonly number[] {
  return Array.from(tensor.data, Number);
}

/** Tells whether a datum has a token to train on. */
export function hasTrainedToken({ loss_fn_inputs }: Datum): boolean {
  const { weights } = loss_fn_inputs;
  return weights === undefined || numbers(weights).some((weight) => weight > 0);
}
