import { describeValue } from "./describe-value.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/** How int64 values are held in memory: the smallest form that keeps every value exactly. */
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
export function castToInt64(values: ArrayLike<unknown>, place: TensorPlace): Int64Data {
  if (values instanceof Int32Array || values instanceof BigInt64Array) return values;
  if (values instanceof BigUint64Array) return fromBigUint64(values, place);
  return quickly(values) ?? fromWide(values, place);
}

/** Loops of their own for lists and for small integers: an element read in a loop that sees every kind costs several times as much. */
function quickly(values: ArrayLike<unknown>): Int32Array | undefined {
  if (Array.isArray(values)) return narrowList(values);
  const fits =
    values instanceof Uint8Array ||
    values instanceof Uint8ClampedArray ||
    values instanceof Int8Array ||
    values instanceof Uint16Array ||
    values instanceof Int16Array;
  return fits ? new Int32Array(values) : narrowEach(values);
}

/** The elements in 32 bits, or undefined when one is no small integer. Two at a time, which saves every other check of the end. */
function narrowList(values: readonly unknown[]): Int32Array | undefined {
  const { length } = values;
  const narrow = new Int32Array(length);
  const paired = length & ~1;
  for (let index = 0; index < paired; index += 2) {
    const even = values[index];
    const odd = values[index + 1];
    if (typeof even !== "number" || typeof odd !== "number") return narrowEach(values);
    const evenInteger = even | 0;
    const oddInteger = odd | 0;
    if (evenInteger !== even || oddInteger !== odd) return undefined;
    narrow[index] = evenInteger;
    narrow[index + 1] = oddInteger;
  }
  return paired < length ? withLast(narrow, values[paired]) : narrow;
}

function withLast(narrow: Int32Array, last: unknown): Int32Array | undefined {
  const integer = typeof last === "boolean" ? Number(last) : last;
  if (typeof integer !== "number" || (integer | 0) !== integer) return undefined;
  narrow[narrow.length - 1] = integer;
  return narrow;
}

/** The same for every kind of array, and for booleans. */
function narrowEach(values: ArrayLike<unknown>): Int32Array | undefined {
  const narrow = new Int32Array(values.length);
  for (let index = 0; index < narrow.length; index += 1) {
    const value = values[index];
    const integer = typeof value === "boolean" ? Number(value) : value;
    if (typeof integer !== "number" || (integer | 0) !== integer) return undefined;
    narrow[index] = integer;
  }
  return narrow;
}

/** The slower way, for lists that hold something other than small integers. */
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

/** The same bytes read as signed, once it is clear that no value needs the sign bit. */
function fromBigUint64(values: BigUint64Array, place: TensorPlace): BigInt64Array {
  const signed = new BigInt64Array(values.buffer, values.byteOffset, values.length);
  const tooLarge = signed.findIndex((value) => value < 0n);
  if (tooLarge !== -1) throw tensorError(place, `${values[tooLarge]} does not fit int64`, tooLarge);
  return signed;
}
