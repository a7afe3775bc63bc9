import type { TensorData } from "@tinkex/base";
import { checkPlaceNames, checkTensor } from "./check-tensor.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/**
 * Gives the values of a tensor as plain numbers, in row-major order; the stored ones for a sparse tensor.
 *
 * @throws ValidationError for what is no tensor, and for an int64 value beyond ±2^53, which a number cannot hold exactly
 */
export function toNumbers(tensor: TensorData, place: TensorPlace = {}): number[] {
  checkPlaceNames(place);
  return numbersOf(checkTensor(tensor, place), place);
}

/** Gives the numbers of a tensor that was checked. */
export function numbersOf({ data }: TensorData, place: TensorPlace): number[] {
  if (!(data instanceof BigInt64Array)) return Array.from(data);
  return Array.from(data, (value, index) => {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    throw tensorError(place, `${value} is beyond 2^53; read the tensor's BigInt64Array instead`, index);
  });
}
