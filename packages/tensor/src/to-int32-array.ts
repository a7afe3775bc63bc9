import type { TensorData } from "@tinkex/base";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/**
 * Narrows the elements of an int64 tensor to 32 bits. An `Int32Array` is returned as it is, without a copy.
 *
 * @throws ValidationError naming the index of an element that does not fit
 */
export function toInt32Array(data: TensorData["data"], place: TensorPlace): Int32Array {
  if (data instanceof Int32Array) return data;
  const narrow = new Int32Array(data.length);
  for (let index = 0; index < narrow.length; index += 1) {
    const value = data[index] ?? 0;
    narrow[index] = Number(value);
    // An element that lost bits reads back as another. (A bigint that loses digits as a number is far beyond int32.)
    if (narrow[index] === Number(value)) continue;
    const remedy = "the widest integer of tfjs; read it with toTypedArray";
    throw tensorError(place, `${value} does not fit int32, ${remedy}`, index);
  }
  return narrow;
}
