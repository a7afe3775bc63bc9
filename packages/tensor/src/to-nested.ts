import type { TensorData } from "@tinkex/base";
import type { PadOptions } from "./pad-value.js";
import { tensorError } from "./tensor-place.js";
import { toDense } from "./to-dense.js";
import { numbersOf } from "./to-numbers.js";

/** A list, or lists nested to any depth. */
export type NestedNumbers = number[] | NestedNumbers[];

/**
 * Gives the values of a tensor as lists nested as its shape says; a bare number for a scalar. A sparse tensor is unfolded.
 *
 * @throws ValidationError for an int64 value beyond ±2^53, which a number cannot hold exactly, and for what `toDense` refuses
 */
export function toNested(tensor: TensorData, options: PadOptions = {}): number | NestedNumbers {
  const dense = toDense(tensor, options);
  const numbers = numbersOf(dense, options);
  const { shape = [numbers.length] } = dense;
  // The shape [] has one element.
  if (shape.length === 0) return numbers[0] ?? Number.NaN;
  try {
    return nest(numbers, shape);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const problem = `shape [${shape.join(", ")}] nests more lists than memory holds; read the elements with toNumbers`;
    throw tensorError(options, problem);
  }
}

function nest(numbers: number[], shape: readonly number[]): NestedNumbers {
  const [length = 0, ...rest] = shape;
  if (rest.length === 0) return numbers;
  const size = rest.reduce((product, side) => product * side, 1);
  return Array.from({ length }, (_, index) => nest(numbers.slice(index * size, (index + 1) * size), rest));
}
