import { ValidationError } from "@tinkex/base";
import type { CustomLossValue } from "@tinkex/types";
import type { CustomLossOptions } from "./custom-loss-options.js";
import type { PartValue } from "./custom-loss-part.js";

/** A part and how much of it is in the sum. */
export interface WeightedPart {
  readonly value: PartValue;
  readonly weight: number;
}

/**
 * Gives the weighted sum of the parts' values and gradients, without metrics.
 *
 * @throws ValidationError naming the datum on whose log-probabilities no part depends
 */
export function sumParts(
  parts: readonly WeightedPart[],
  logprobs: readonly Float32Array[],
  { unusedGradients = "error" }: CustomLossOptions,
): CustomLossValue {
  return {
    loss: parts.reduce((sum, { value, weight }) => sum + weight * value.loss, 0),
    gradients: logprobs.map(({ length }, index) => {
      const present = parts.flatMap(({ value, weight }) => {
        const gradient = value.gradients[index];
        return gradient === undefined ? [] : [{ gradient, weight }];
      });
      if (present.length === 0 && unusedGradients === "error") throw unusedError(parts, index);
      return weightedSum(present, length);
    }),
  };
}

function weightedSum(
  terms: readonly { readonly gradient: Float32Array; readonly weight: number }[],
  length: number,
): Float32Array {
  const [first, ...others] = terms;
  if (first !== undefined && first.weight === 1 && others.length === 0) return first.gradient;
  const sum = new Float32Array(length);
  for (const { gradient, weight } of terms) {
    for (let index = 0; index < length; index += 1) {
      sum[index] = (sum[index] ?? 0) + weight * (gradient[index] ?? 0);
    }
  }
  return sum;
}

function unusedError(parts: readonly WeightedPart[], datumIndex: number): ValidationError {
  const path = ["data", datumIndex];
  const isUsed = parts.some(({ value }) => value.gradients.some((gradient) => gradient !== undefined));
  if (isUsed) {
    return new ValidationError(
      `the custom loss does not depend on the logprobs of data[${datumIndex}]: leave that datum out, or pass ` +
        '{ unusedGradients: "zero" } if it is meant to',
      { path },
    );
  }
  return new ValidationError(
    "the custom loss does not depend on the logprobs: compute it from the tensors it is given, in operations of tfjs " +
      "(numbers that were read with dataSync() have no gradient)",
    { path },
  );
}
