import { describeValue } from "./describe-value.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/**
 * Rounds numbers to float32. A `Float32Array` is returned as it is, without a copy.
 *
 * @throws ValidationError for anything that is no number, and for a finite value beyond the range of float32
 */
export function castToFloat32(values: ArrayLike<unknown>, place: TensorPlace): Float32Array {
  if (values instanceof Float32Array) return values;
  return quickly(values) ?? roundEach(values, place);
}

/** The two kinds that are worth a loop of their own: an element read in a loop that sees every kind costs several times as much. */
function quickly(values: ArrayLike<unknown>): Float32Array | undefined {
  if (Array.isArray(values)) return roundList(values);
  return values instanceof Float64Array ? roundDoubles(values) : undefined;
}

/**
 * The elements rounded, or undefined when one is no number or is not finite once it is rounded. Two at a time, in sums of
 * their own, so that an addition need not wait for the one before; a sum stays 0 unless a value is NaN or infinite.
 */
function roundList(values: readonly unknown[]): Float32Array | undefined {
  const { length } = values;
  const rounded = new Float32Array(length);
  let evenSum = 0;
  let oddSum = 0;
  const paired = length & ~1;
  for (let index = 0; index < paired; index += 2) {
    const even = values[index];
    const odd = values[index + 1];
    if (typeof even !== "number" || typeof odd !== "number") return undefined;
    const evenFloat = Math.fround(even);
    const oddFloat = Math.fround(odd);
    rounded[index] = evenFloat;
    rounded[index + 1] = oddFloat;
    evenSum += evenFloat * 0;
    oddSum += oddFloat * 0;
  }
  if (paired < length) {
    const last = values[paired];
    if (typeof last !== "number") return undefined;
    rounded[paired] = last;
    evenSum += Math.fround(last) * 0;
  }
  return evenSum + oddSum === 0 ? rounded : undefined;
}

function roundDoubles(values: Float64Array): Float32Array | undefined {
  const rounded = new Float32Array(values);
  let sum = 0;
  for (let index = 0; index < rounded.length; index++) sum += (rounded[index] ?? 0) * 0;
  return sum === 0 ? rounded : undefined;
}

/** Every kind of array and element, and every error. */
function roundEach(values: ArrayLike<unknown>, place: TensorPlace): Float32Array {
  const rounded = new Float32Array(values.length);
  for (let index = 0; index < rounded.length; index += 1) {
    const number = numberOf(values[index], place, index);
    rounded[index] = number;
    // A bigint is finite, also where it becomes an infinite number.
    if (!Number.isFinite(rounded[index]) && (Number.isFinite(number) || typeof values[index] === "bigint")) {
      throw tensorError(place, `${values[index]} is beyond the range of float32 (about ±3.4e38)`, index);
    }
  }
  return rounded;
}

function numberOf(value: unknown, place: TensorPlace, index: number): number {
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return Number(value);
  throw tensorError(place, `expected a number, got ${describeValue(value)}`, index);
}
