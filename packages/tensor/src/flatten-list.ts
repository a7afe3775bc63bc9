import type { NestedList, TensorElement } from "./tensor-like.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/** A list with its nesting taken away: elements in row-major order and the lengths of each level. */
export interface FlatList {
  readonly values: readonly TensorElement[];
  readonly shape: readonly number[];
}

/**
 * Takes the nesting away, one level after the other. A flat list is returned as it is, without a copy.
 *
 * @throws ValidationError when lists of one level differ in length, or lists and elements are mixed
 */
export function flattenList(list: NestedList, place: TensorPlace): FlatList {
  const shape = shapeOf(list);
  let level: readonly unknown[] = list;
  for (let depth = 1; depth < shape.length; depth++) {
    checkRows(level, shape.slice(depth), place);
    level = concatenate(level);
  }
  if (shape.length > 1) refuseLists(level, place);
  // Every list was taken apart; whether the rest are numbers is for the cast to say.
  return { values: level as readonly TensorElement[], shape };
}

function shapeOf(list: NestedList): number[] {
  const shape: number[] = [];
  let level: unknown = list;
  while (Array.isArray(level)) {
    shape.push(level.length);
    // Not `level[0]`: where one place reads elements of lists of lists and of lists of numbers, V8 turns the latter into
    // lists of objects, each number one of its own, and whoever reads them afterwards takes several times as long.
    level = level.at(0);
  }
  return shape;
}

/** Whether all `rows` are lists as long as the first; `rowShape` is the shape of each. */
function checkRows(rows: readonly unknown[], rowShape: readonly number[], place: TensorPlace): void {
  const [length] = rowShape;
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    if (Array.isArray(row) && row.length === length) continue;
    const problem = Array.isArray(row) ? `one has length ${length}, another ${row.length}` : MIXED;
    const elementsBefore = index * rowShape.reduce((product, size) => product * size, 1);
    throw tensorError(place, `nested lists are ragged: ${problem}`, elementsBefore);
  }
}

const MIXED = "lists and numbers are mixed";

function refuseLists(elements: readonly unknown[], place: TensorPlace): void {
  for (let index = 0; index < elements.length; index++) {
    if (typeof elements[index] === "object" && Array.isArray(elements[index]))
      throw tensorError(place, `nested lists are ragged: ${MIXED}`, index);
  }
}

/** So many rows are passed as arguments of one call, far fewer than an engine allows. */
const ROWS_A_CALL = 1024;

/** The elements of all rows. The engine's own `concat` moves whole rows; a loop over elements takes ten times as long. */
function concatenate(rows: readonly unknown[]): unknown[] {
  if (rows.length <= ROWS_A_CALL) return ([] as unknown[]).concat(...rows);
  const parts: unknown[][] = [];
  for (let start = 0; start < rows.length; start += ROWS_A_CALL) {
    parts.push(concatenate(rows.slice(start, start + ROWS_A_CALL)));
  }
  return concatenate(parts);
}
