import { isSparse, type TensorData } from "@tinkex/base";
import { checkTensor } from "./check-tensor.js";
import { type PadOptions, padValueOf } from "./pad-value.js";

/**
 * Gives a matrix in CSR form where that is smaller: when its `rows + 1` row pointers and two numbers for each listed element are
 * fewer than its elements, which is how the official SDK decides. Any other tensor is returned as it is.
 *
 * Elements equal to the pad value are left out, a negative zero as any zero: the one bit that {@link toDense} does not give back.
 *
 * @throws ValidationError for what is no tensor, for a shape that does not fit, and for a pad value that is no integer of 32 bits
 */
export function toSparse(tensor: TensorData, options: PadOptions = {}): TensorData {
  const pad = padValueOf(options);
  const given = checkTensor(tensor, options);
  const { data, dtype, shape } = given;
  const [rows, width] = shape ?? [];
  if (isSparse(given) || shape?.length !== 2 || rows === undefined || width === undefined) return given;
  const listed = listedIndices(data, data instanceof BigInt64Array ? BigInt(pad) : pad);
  if (rows + 1 + 2 * listed.length >= rows * width) return given;
  return {
    data: take(data, listed),
    dtype,
    shape,
    sparse_crow_indices: rowPointers(listed, rows, width),
    sparse_col_indices: listed.map((index) => index % width),
  };
}

function listedIndices(data: ArrayLike<unknown>, pad: number | bigint): number[] {
  const listed: number[] = [];
  for (let index = 0; index < data.length; index += 1) {
    if (data[index] !== pad) listed.push(index);
  }
  return listed;
}

/** Takes the elements at `indices`, in an array of the same kind. */
function take(data: TensorData["data"], indices: readonly number[]): TensorData["data"] {
  if (data instanceof BigInt64Array) return BigInt64Array.from(indices, (index) => data[index] ?? 0n);
  if (data instanceof Float32Array) return takeFloats(data, indices);
  const values = indices.map((index) => data[index] ?? 0);
  return data instanceof Int32Array ? Int32Array.from(values) : values;
}

/** Takes floats as bits, which keeps a NaN the NaN it was. */
function takeFloats(data: Float32Array, indices: readonly number[]): Float32Array {
  const bits = new Int32Array(data.buffer, data.byteOffset, data.length);
  return new Float32Array(Int32Array.from(indices, (index) => bits[index] ?? 0).buffer);
}

/** Counts, for each row and for the end, the elements that are listed before it. */
function rowPointers(listed: readonly number[], rows: number, width: number): number[] {
  const pointers = [0];
  let count = 0;
  for (let row = 1; row <= rows; row += 1) {
    while (count < listed.length && (listed[count] ?? 0) < row * width) count += 1;
    pointers.push(count);
  }
  return pointers;
}
