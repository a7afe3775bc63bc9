import type { TensorData } from "@tinkex/types/base";

/**
 * The values of a tensor as the typed array of its dtype: `Float32Array` for float32, `BigInt64Array` for int64. Data that
 * already has that form is returned as it is, without a copy.
 */
export function toTypedArray(tensor: TensorData): Float32Array | BigInt64Array {
  const { data, dtype } = tensor;
  if (dtype === "float32") return data instanceof Float32Array ? data : Float32Array.from(data, Number);
  return data instanceof BigInt64Array ? data : BigInt64Array.from(data, BigInt);
}
