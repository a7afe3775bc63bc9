import type { TensorData } from "@tinkex/base";
import { checkPlaceNames, checkTensor } from "./check-tensor.js";
import type { TensorPlace } from "./tensor-place.js";

/**
 * Gives the values of a tensor as the typed array of its dtype: `Float32Array` for float32, `BigInt64Array` for int64; the
 * stored ones for a sparse tensor. Data that already has that form is returned as it is, without a copy.
 *
 * @throws ValidationError for what is no tensor, and for an element that its dtype cannot hold
 */
export function toTypedArray(tensor: TensorData, place: TensorPlace = {}): Float32Array | BigInt64Array {
  checkPlaceNames(place);
  const { data, dtype } = checkTensor(tensor, place);
  if (dtype === "float32") return data instanceof Float32Array ? data : Float32Array.from(data, Number);
  return data instanceof BigInt64Array ? data : BigInt64Array.from(data, BigInt);
}
