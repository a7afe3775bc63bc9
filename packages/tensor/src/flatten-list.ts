import type { NestedList, TensorElement } from "./tensor-like.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/** A list with its nesting taken away: elements in row-major order and the lengths of each level. */
export interface FlatList {
  readonly values: readonly TensorElement[];
  readonly shape: readonly number[];
}

/**
 * Takes the nesting away. A flat list is returned as it is, without a copy.
 *
 * @throws ValidationError when lists of one level differ in length, or lists and elements are mixed
 */
export function flattenList(list: NestedList, place: TensorPlace): FlatList {
  const shape = shapeOf(list);
  if (shape.length === 1) return { values: list as readonly TensorElement[], shape };
  const values: TensorElement[] = [];
  collect(list, shape, 0, values, place);
  return { values, shape };
}

function shapeOf(list: NestedList): number[] {
  const shape: number[] = [];
  let level: unknown = list;
  while (Array.isArray(level)) {
    shape.push(level.length);
    level = level[0];
  }
  return shape;
}

function collect(
  list: NestedList,
  shape: readonly number[],
  depth: number,
  values: TensorElement[],
  place: TensorPlace,
): void {
  if (list.length !== shape[depth]) {
    const problem = `nested lists are ragged: one has length ${shape[depth]}, another ${list.length}`;
    throw tensorError(place, problem, values.length);
  }
  for (const item of list) {
    const nested = Array.isArray(item);
    if (nested !== depth < shape.length - 1) {
      throw tensorError(place, "nested lists are ragged: lists and numbers are mixed", values.length);
    }
    // The check above says which of the two it is; the type of a nested list cannot.
    if (nested) collect(item as NestedList, shape, depth + 1, values, place);
    else values.push(item as TensorElement);
  }
}
