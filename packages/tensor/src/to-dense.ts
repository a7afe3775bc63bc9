import { elementCount, isSparse, type TensorData } from "@tinkex/base";
import { checkTensor } from "./check-tensor.js";
import { type PadOptions, padValueOf } from "./pad-value.js";
import { type TensorPlace, tensorError } from "./tensor-place.js";

/**
 * Gives a sparse tensor with all its elements; a dense one is returned as it is. A list of more than 2^25 becomes a typed array.
 *
 * Row `r` of CSR lists its elements at `crow[r] … crow[r + 1] - 1`: the column of each, and in `data` its value. What no row
 * lists is the pad value.
 *
 * @throws ValidationError for what is no tensor, for a shape or indices that do not fit, for columns of a row that do not rise (as
 * `to_torch` of the official SDK does), for a pad value that is no integer of 32 bits, and for more elements than memory holds
 */
export function toDense(tensor: TensorData, options: PadOptions = {}): TensorData {
  const pad = padValueOf(options);
  const given = checkTensor(tensor, options);
  if (!isSparse(given)) return given;
  checkOrder(given, options);
  const { dtype, shape = [] } = given;
  try {
    return { data: unfoldedData(given, elementCount(shape), pad), dtype, shape };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw tensorError(
      options,
      `shape [${shape.join(", ")}] unfolds to more elements than memory holds; read the listed ones, which \`data\` has`,
    );
  }
}

/** Checks that each row lists its columns in order and once: of two values for one place nobody could say which is meant. */
function checkOrder(
  { sparse_crow_indices: crow = [], sparse_col_indices: columns = [] }: TensorData,
  place: TensorPlace,
): void {
  let row = 0;
  for (let at = 1; at < columns.length; at += 1) {
    while ((crow[row + 1] ?? 0) < at) row += 1;
    if (crow[row + 1] === at || (columns[at] ?? 0) > (columns[at - 1] ?? 0)) continue;
    throw tensorError(place, `must be above the column before it in row ${row}`, at, "sparse_col_indices");
  }
}

/** Most elements of a list: V8 keeps a longer one as a table of its elements, which takes the process's memory before it fails. */
const MAX_LIST = 2 ** 25;

function unfoldedData(tensor: TensorData, count: number, pad: number): TensorData["data"] {
  const isLong = count > MAX_LIST && tensor.dtype === "int64" && Array.isArray(tensor.data);
  const data = isLong ? BigInt64Array.from(tensor.data, BigInt) : tensor.data;
  if (data instanceof BigInt64Array) return unfold(tensor, data, new BigInt64Array(count).fill(BigInt(pad)));
  if (data instanceof Float32Array) return unfoldFloats(tensor, data, count, pad);
  return unfold(tensor, data, filledLike(tensor, count, pad));
}

/** Makes an array of the kind that `data` has; a list of float32 becomes a typed array, which holds them as they are sent. */
function filledLike(
  { data, dtype }: TensorData,
  count: number,
  pad: number,
): Float32Array | Int32Array | number[] {
  if (dtype === "float32") return new Float32Array(count).fill(pad);
  return data instanceof Int32Array ? new Int32Array(count).fill(pad) : new Array<number>(count).fill(pad);
}

/** Unfolds floats as bits, which keeps a NaN the NaN it was. */
function unfoldFloats(tensor: TensorData, data: Float32Array, count: number, pad: number): Float32Array {
  const dense = new Float32Array(count).fill(pad);
  unfold(tensor, new Int32Array(data.buffer, data.byteOffset, data.length), new Int32Array(dense.buffer));
  return dense;
}

/** Writes the listed elements into `dense`, whose indices were checked. */
function unfold<Element, Dense extends { [index: number]: Element }>(
  { shape, sparse_crow_indices: crow = [], sparse_col_indices: columns = [] }: TensorData,
  listed: ArrayLike<Element>,
  dense: Dense,
): Dense {
  const width = shape?.[1] ?? 0;
  for (let row = 0; row + 1 < crow.length; row += 1) {
    const end = crow[row + 1] ?? 0;
    for (let at = crow[row] ?? 0; at < end; at += 1) {
      // Both indices lie below the lengths that were checked.
      dense[row * width + (columns[at] as number)] = listed[at] as Element;
    }
  }
  return dense;
}
