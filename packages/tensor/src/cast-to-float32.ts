import { roundListInto } from "@tinkex/base";
import { describeValue } from "./describe-value.js";
import type { ArrayMemory } from "./tensor-memory.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/**
 * Rounds numbers to float32. A `Float32Array` is returned as it is, without a copy.
 *
 * @throws ValidationError for anything that is no number, and for a finite value beyond the range of float32
 */
export function castToFloat32(
  values: ArrayLike<unknown>,
  place: TensorPlace,
  memory: ArrayMemory,
): Float32Array {
  if (values instanceof Float32Array) return values;
  const rounded = memory.float32(values.length);
  if (!roundQuickly(rounded, values)) roundEach(rounded, values, place);
  return rounded;
}

/**
 * The two kinds that are worth a loop of their own: an element read in a loop that sees every kind costs several times as much.
 * False when an element is no number or is not finite once it is rounded.
 */
function roundQuickly(rounded: Float32Array, values: ArrayLike<unknown>): boolean {
  if (Array.isArray(values)) return roundListInto(rounded, values, 0, values.length) === values.length;
  return values instanceof Float64Array && roundDoubles(rounded, values);
}

function roundDoubles(rounded: Float32Array, values: Float64Array): boolean {
  rounded.set(values);
  let sum = 0;
  for (let index = 0; index < rounded.length; index++) sum += (rounded[index] ?? 0) * 0;
  return sum === 0;
}

/** Every kind of array and element, and every error. */
function roundEach(rounded: Float32Array, values: ArrayLike<unknown>, place: TensorPlace): void {
  for (let index = 0; index < rounded.length; index += 1) {
    const number = numberOf(values[index], place, index);
    rounded[index] = number;
    // A bigint is finite, also where it becomes an infinite number.
    if (!Number.isFinite(rounded[index]) && (Number.isFinite(number) || typeof values[index] === "bigint")) {
      throw tensorError(place, `${values[index]} is beyond the range of float32 (about ±3.4e38)`, index);
    }
  }
}

function numberOf(value: unknown, place: TensorPlace, index: number): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return Number(value);
  throw tensorError(place, `expected a number, got ${describeValue(value)}`, index);
}
