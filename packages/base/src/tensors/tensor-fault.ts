import { DETACHED, isDetached } from "../arguments/check-argument.js";
import { describeValue } from "../arguments/describe-value.js";
import type { TensorData, TensorDtype } from "./tensor-data.js";

/** Fault of a tensor, and the field it is in. */
export type TensorFault = {
  readonly field: keyof TensorData;
  readonly index?: number;
  readonly message: string;
};

/**
 * Finds the first thing that keeps `tensor` from being sent; `undefined` when nothing does. One pass over the elements of a list,
 * none over a typed array.
 */
export function tensorFault(tensor: TensorData): TensorFault | undefined {
  const fault = tensorLayoutFault(tensor);
  return fault === undefined && Array.isArray(tensor.data) ? elementFault(tensor.dtype, tensor.data) : fault;
}

/** Does the same without looking at the elements, for an encoder that meets each of them anyway. */
export function tensorLayoutFault(tensor: TensorData): TensorFault | undefined {
  const { data, dtype, shape } = tensor;
  const isInPlace =
    dtype === "float32"
      ? data instanceof Float32Array
      : dtype === "int64" && (data instanceof BigInt64Array || data instanceof Int32Array);
  const fault = isInPlace ? undefined : arrayFault(tensor);
  if (fault !== undefined) return fault;
  // Read once: the length of data of many kinds takes several times as long to read as that of one.
  const { length } = data;
  if (length === 0 && ArrayBuffer.isView(data) && isDetached(data))
    return { field: "data", message: DETACHED };
  if (isSparse(tensor)) return csrFault(tensor);
  if (shape === undefined) return undefined;
  // As most shapes are: a length is a size that a shape may have.
  if (shape.length === 1 && shape[0] === length) return undefined;
  const bad = shapeFault(shape);
  if (bad !== undefined || elementCount(shape) === length) return bad;
  return { field: "shape", message: `[${shape.join(", ")}] does not hold ${length} elements` };
}

/** Tells whether a tensor lists only some of its elements. */
export function isSparse(tensor: TensorData): boolean {
  return tensor.sparse_crow_indices !== undefined || tensor.sparse_col_indices !== undefined;
}

/** Number of elements of a dense tensor of this shape. */
export function elementCount(shape: readonly number[]): number {
  let count = 1;
  for (let axis = 0; axis < shape.length; axis += 1) count *= shape[axis] ?? 0;
  return count;
}

/** Finds the fault of elements that are in no typed array of their dtype. */
function arrayFault({ data, dtype }: TensorData): TensorFault | undefined {
  if (dtype !== "int64" && dtype !== "float32") {
    return { field: "dtype", message: `must be "int64" or "float32", got ${describeValue(dtype)}` };
  }
  if (Array.isArray(data)) return undefined;
  if (data instanceof Float32Array || data instanceof Int32Array || data instanceof BigInt64Array)
    return { field: "data", message: `a ${data.constructor.name} cannot be ${dtype}` };
  return {
    field: "data",
    message:
      "must be a Float32Array, Int32Array, BigInt64Array or a flat list of numbers (TensorData.from converts)",
  };
}

function elementFault(dtype: TensorDtype, data: readonly unknown[]): TensorFault | undefined {
  const index = dtype === "int64" ? firstNotSafeInteger(data) : firstNotFloat32(data);
  return index === -1 ? undefined : badElement(dtype, index, data[index]);
}

/** The fault of an element that its dtype cannot hold. */
export function badElement(dtype: TensorDtype, index: number, value: unknown): TensorFault {
  const kind =
    dtype === "int64" ? "a safe integer (larger ones need a BigInt64Array)" : "a number within float32";
  return { field: "data", index, message: `must be ${kind}, got ${describeValue(value)}` };
}

function firstNotSafeInteger(values: readonly unknown[]): number {
  for (let index = 0; index < values.length; index += 1)
    if (!Number.isSafeInteger(values[index])) return index;
  return -1;
}

/** A finite number that rounds to infinity is a mistake; NaN and infinities themselves are float32 values. */
function firstNotFloat32(values: readonly unknown[]): number {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (typeof value !== "number") return index;
    if (!Number.isFinite(Math.fround(value)) && Number.isFinite(value)) return index;
  }
  return -1;
}

function shapeFault(shape: readonly number[]): TensorFault | undefined {
  for (let index = 0; index < shape.length; index += 1) {
    const size = shape[index] ?? Number.NaN;
    if (!Number.isSafeInteger(size) || size < 0)
      return {
        field: "shape",
        index,
        message: `must be a size of 0 or more, got ${describeValue(shape[index])}`,
      };
  }
  return undefined;
}

function csrFault(tensor: TensorData): TensorFault | undefined {
  const { data, shape, sparse_crow_indices: crow, sparse_col_indices: columns } = tensor;
  if (crow === undefined)
    return { field: "sparse_crow_indices", message: "is missing beside sparse_col_indices" };
  if (columns === undefined)
    return { field: "sparse_col_indices", message: "is missing beside sparse_crow_indices" };
  const [rowCount, columnCount] = shape ?? [];
  if (shape?.length !== 2 || rowCount === undefined || columnCount === undefined) {
    return { field: "shape", message: "of a sparse tensor must be [rows, columns]" };
  }
  const bad = shapeFault(shape);
  if (bad !== undefined) return bad;
  if (crow.length !== rowCount + 1) {
    return {
      field: "sparse_crow_indices",
      message: `must have rows + 1 = ${rowCount + 1} entries, got ${crow.length}`,
    };
  }
  const decreasing = crow.findIndex((value, row) => !(value >= (row === 0 ? 0 : (crow[row - 1] ?? 0))));
  if (decreasing !== -1 || crow[0] !== 0) {
    return {
      field: "sparse_crow_indices",
      index: Math.max(0, decreasing),
      message: "must start at 0 and never fall",
    };
  }
  if (columns.length !== data.length || crow[rowCount] !== data.length) {
    return {
      field: "sparse_col_indices",
      message: `must have one entry for each of the ${data.length} elements`,
    };
  }
  const outside = columns.findIndex(
    (column) => !Number.isInteger(column) || column < 0 || column >= columnCount,
  );
  if (outside === -1) return undefined;
  return { field: "sparse_col_indices", index: outside, message: `must be a column below ${columnCount}` };
}
