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
  if (numbers.length === 0 && listCount(shape) > MAX_EMPTY_LISTS) throw tooManyLists(shape, options);
  try {
    return nest(numbers, shape);
  } catch (error) {
    if (error instanceof RangeError) throw tooManyLists(shape, options);
    throw error;
  }
}

function tooManyLists(shape: readonly number[], place: PadOptions): Error {
  const shown = shape.length > 8 ? `of ${shape.length} dimensions` : `[${shape.join(", ")}]`;
  const problem = `shape ${shown} nests more lists than memory holds; read the elements with toNumbers`;
  return tensorError(place, problem);
}

/** Most lists without an element in them: a shape such as [1000000000, 0] takes no memory, its lists would take gigabytes. */
const MAX_EMPTY_LISTS = 1_048_576;

/** Counts the lists that hold the lists of elements, those of elements too. */
function listCount(shape: readonly number[]): number {
  let [count, lists] = [0, 1];
  for (const size of shape) {
    count += lists;
    lists *= size;
  }
  return count;
}

/** Nests the elements of the dimensions from `axis` on. */
function nest(numbers: number[], shape: readonly number[], axis = 0): NestedNumbers {
  if (axis === shape.length - 1) return numbers;
  const length = shape[axis] ?? 0;
  const size = numbers.length / length;
  return Array.from({ length }, (_, index) =>
    nest(numbers.slice(index * size, (index + 1) * size), shape, axis + 1),
  );
}
