import { describeValue, narrowListInto, roundListInto } from "@tinkex/base";
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
  // Loops of their own for the two kinds that are worth it: an element read in a loop that sees every kind costs several times as much.
  const isRounded = Array.isArray(values)
    ? roundListInto(rounded, values, 0, values.length) === values.length
    : values instanceof Float64Array && roundDoubles(rounded, values);
  if (!isRounded) roundEach(rounded, values, place);
  return rounded;
}

/** Rounds doubles. False when one is not finite once it is rounded. */
function roundDoubles(rounded: Float32Array, values: Float64Array): boolean {
  rounded.set(values);
  let sum = 0;
  for (let index = 0; index < rounded.length; index += 1) sum += (rounded[index] ?? 0) * 0;
  return sum === 0;
}

/** Rounds every kind of array and element, and makes every error. */
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

/** Forms of int64 values in memory: the smallest that keeps every value exactly. */
export type Int64Data = Int32Array | BigInt64Array | number[];

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * Reads values as int64: an `Int32Array` where they fit, else numbers, else a `BigInt64Array`. `Int32Array` and
 * `BigInt64Array` are returned as they are, without a copy.
 *
 * @throws ValidationError for a fraction, NaN, ±Infinity, a value outside int64, a number beyond 2^53 (its last digits
 * are already lost: pass a bigint), and anything that is no number
 */
export function castToInt64(values: ArrayLike<unknown>, place: TensorPlace, memory: ArrayMemory): Int64Data {
  if (values instanceof Int32Array || values instanceof BigInt64Array) return values;
  if (values instanceof BigUint64Array) return fromBigUint64(values, place);
  const narrow = memory.int32(values.length);
  // A loop of its own for lists: an element read in a loop that sees every kind costs several times as much.
  const done = Array.isArray(values) ? narrowListInto(narrow, values, 0, values.length) : 0;
  const isNarrow = done === values.length || narrowSmall(narrow, values) || narrowEach(narrow, values, done);
  return isNarrow ? narrow : fromWide(values, place);
}

/** Copies the arrays whose elements all fit. False, and nothing copied, for every other. */
function narrowSmall(narrow: Int32Array, values: ArrayLike<unknown>): boolean {
  const fits =
    values instanceof Uint8Array ||
    values instanceof Uint8ClampedArray ||
    values instanceof Int8Array ||
    values instanceof Uint16Array ||
    values instanceof Int16Array;
  if (!fits) return false;
  narrow.set(values);
  return true;
}

/** Narrows every kind of array, and booleans, from one element on. */
function narrowEach(narrow: Int32Array, values: ArrayLike<unknown>, start: number): boolean {
  for (let index = start; index < narrow.length; index += 1) {
    const value = values[index];
    const integer = typeof value === "boolean" ? Number(value) : value;
    if (typeof integer !== "number" || (integer | 0) !== integer) return false;
    narrow[index] = integer;
  }
  return true;
}

/** Reads integers the slower way, for lists that hold something other than small integers. */
function fromWide(values: ArrayLike<unknown>, place: TensorPlace): Int64Data {
  const elements = Array.from({ length: values.length }, (_, index) =>
    integerOf(values[index], place, index),
  );
  if (elements.some((element) => typeof element === "bigint")) {
    return BigInt64Array.from(elements, (element) => BigInt(element));
  }
  return elements.map(Number);
}

function integerOf(value: unknown, place: TensorPlace, index: number): number | bigint {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "bigint") {
    if (value < INT64_MIN || value > INT64_MAX)
      throw tensorError(place, `${value} does not fit int64`, index);
    return value;
  }
  if (typeof value !== "number") {
    throw tensorError(place, `expected an integer, got ${describeValue(value)}`, index);
  }
  if (!Number.isInteger(value)) {
    throw tensorError(place, `expected an integer, got ${describeValue(value)}`, index);
  }
  if (!Number.isSafeInteger(value)) {
    throw tensorError(place, `${value} is beyond 2^53, where numbers lose digits; pass a bigint`, index);
  }
  // -0 is a number but no integer of its own.
  return value === 0 ? 0 : value;
}

/** Reads the same bytes as signed, once it is clear that no value needs the sign bit. */
function fromBigUint64(values: BigUint64Array, place: TensorPlace): BigInt64Array {
  const signed = new BigInt64Array(values.buffer, values.byteOffset, values.length);
  const tooLarge = signed.findIndex((value) => value < 0n);
  if (tooLarge !== -1) throw tensorError(place, `${values[tooLarge]} does not fit int64`, tooLarge);
  return signed;
}
