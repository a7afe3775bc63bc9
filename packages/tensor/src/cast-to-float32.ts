import { describeValue } from "./describe-value.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/**
 * Rounds numbers to float32. A `Float32Array` is returned as it is, without a copy.
 *
 * @throws ValidationError for anything that is no number, and for a finite value beyond the range of float32
 */
export function castToFloat32(values: ArrayLike<unknown>, place: TensorPlace): Float32Array {
  if (values instanceof Float32Array) return values;
  const result = new Float32Array(values.length);
  for (let index = 0; index < result.length; index += 1) {
    const value = values[index];
    const number = typeof value === "number" ? value : numberOf(value, place, index);
    const rounded = Math.fround(number);
    if (!Number.isFinite(rounded) && Number.isFinite(number)) {
      throw tensorError(place, `${number} is beyond the range of float32 (about ±3.4e38)`, index);
    }
    result[index] = rounded;
  }
  return result;
}

function numberOf(value: unknown, place: TensorPlace, index: number): number {
  if (typeof value === "boolean" || typeof value === "bigint") return Number(value);
  throw tensorError(place, `expected a number, got ${describeValue(value)}`, index);
}
