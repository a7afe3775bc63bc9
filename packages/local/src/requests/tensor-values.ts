import { tensorFault } from "@tinkex/base";
import type { TensorData } from "@tinkex/types";
import { userFailure } from "../errors/operation-failure.js";
import { shortened } from "../json/shortened.js";

/**
 * The elements of a tensor with every one in place; what a sparse one does not list is 0. The caller has looked at the
 * shape before, since this much memory is taken.
 *
 * @param place - how messages name the tensor, e.g. `data[3].loss_fn_inputs.weights`
 * @throws OperationFailure `user` when elements, shape and indices do not fit together
 */
export function densify(tensor: TensorData, place: string): TensorData["data"] {
  const fault = tensorFault(tensor);
  if (fault !== undefined) {
    const at = fault.index === undefined ? "" : `[${fault.index}]`;
    throw userFailure(`${place}.${fault.field}${at} ${fault.message}`);
  }
  const { data, sparse_crow_indices: crow, sparse_col_indices: columns } = tensor;
  if (crow === undefined || columns === undefined) return data;
  const [rows = 0, width = 0] = tensor.shape ?? [];
  const dense = tensor.dtype === "int64" ? new BigInt64Array(rows * width) : new Float32Array(rows * width);
  for (let row = 0; row < rows; row += 1) {
    for (let entry = crow[row] ?? 0; entry < (crow[row + 1] ?? 0); entry += 1) {
      const index = row * width + (columns[entry] ?? 0);
      if (dense instanceof BigInt64Array) dense[index] = BigInt(data[entry] ?? 0);
      else dense[index] = Number(data[entry]);
    }
  }
  return dense;
}

/** Elements as float32; a value that is not finite is a failure that names its index. */
export function toFiniteFloat32(data: TensorData["data"], place: string): Float32Array {
  const values = data instanceof Float32Array ? data : Float32Array.from(data as ArrayLike<number>, Number);
  for (let index = 0; index < values.length; index += 1) {
    if (!Number.isFinite(values[index])) {
      throw userFailure(`${place}[${index}] must be a finite float32, got ${String(data[index])}`);
    }
  }
  return values;
}

/** Elements as token ids; one outside the vocabulary, or that is no number, is a failure that names its index. */
export function toTokenIds(data: ArrayLike<unknown>, vocabularySize: number, place: string): Int32Array {
  const ids = new Int32Array(data.length);
  for (let index = 0; index < data.length; index += 1) {
    const element = data[index];
    // Number() alone would make an id of null and of text.
    const id = typeof element === "number" || typeof element === "bigint" ? Number(element) : Number.NaN;
    if (!(id >= 0 && id < vocabularySize) || !Number.isInteger(id)) {
      throw userFailure(
        `${place}[${index}] must be a token id from 0 to ${vocabularySize - 1}, got ${shownElement(element)}`,
      );
    }
    ids[index] = id;
  }
  return ids;
}

/** An object of JSON may have a member "toString", and must not be asked for its text. */
function shownElement(element: unknown): string {
  if (typeof element === "string") return JSON.stringify(shortened(element));
  return typeof element === "object" && element !== null ? "no number" : String(element);
}
