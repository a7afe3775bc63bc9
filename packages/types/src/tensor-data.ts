import * as z from "zod";
import { closedName } from "./schema/names.js";
import { sentObject } from "./schema/sent-object.js";

/** The only two element types of the API. */
export type TensorDtype = "int64" | "float32";

/** Elements of an int64 tensor; a list holds safe integers only. */
export type Int64Data = Int32Array | BigInt64Array | readonly number[];

/** Elements of a float32 tensor; a list is rounded to float32 when it is encoded. */
export type Float32Data = Float32Array | readonly number[];

/**
 * A tensor: its elements in row-major order, and its shape. `TensorData.from` of `@tinkex/tensor` makes one from any array.
 *
 * What arrives from the service is a `Float32Array` or a `BigInt64Array`, often a view on the bytes received.
 */
export interface TensorData {
  /** The elements, or in a sparse tensor the listed ones, row by row. */
  readonly data: Int64Data | Float32Data;
  readonly dtype: TensorDtype;
  /** Absent: one dimension, as long as the data. `[]`: a scalar. */
  readonly shape?: readonly number[] | undefined;
  /** CSR row pointers, `rows + 1` of them; makes the tensor sparse. Since 0.18. */
  readonly sparse_crow_indices?: readonly number[] | undefined;
  /** CSR column of each listed element. */
  readonly sparse_col_indices?: readonly number[] | undefined;
}

/** What is wrong with a tensor, and in which of its fields; `undefined` when nothing is. */
export type TensorFault = {
  readonly field: keyof TensorData;
  readonly index?: number;
  readonly message: string;
};

/** The first thing that keeps `tensor` from being sent. One pass over the elements of a list, none over a typed array. */
export function tensorFault(tensor: TensorData): TensorFault | undefined {
  return tensorLayoutFault(tensor) ?? elementFault(tensor);
}

/** The same without looking at the elements, for an encoder that meets each of them anyway. */
export function tensorLayoutFault(tensor: TensorData): TensorFault | undefined {
  return arrayFault(tensor) ?? (isSparse(tensor) ? csrFault(tensor) : denseShapeFault(tensor));
}

/** Whether a tensor lists only some of its elements. */
export function isSparse(tensor: TensorData): boolean {
  return tensor.sparse_crow_indices !== undefined || tensor.sparse_col_indices !== undefined;
}

/** Number of elements of a dense tensor of this shape. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((count, size) => count * size, 1);
}

function arrayFault({ data, dtype }: TensorData): TensorFault | undefined {
  if (dtype !== "int64" && dtype !== "float32") {
    return { field: "dtype", message: `must be "int64" or "float32", not "${String(dtype)}"` };
  }
  if (data instanceof Float32Array) {
    return dtype === "float32" ? undefined : { field: "data", message: "a Float32Array cannot be int64" };
  }
  if (data instanceof Int32Array || data instanceof BigInt64Array) {
    return dtype === "int64"
      ? undefined
      : { field: "data", message: `a ${data.constructor.name} cannot be float32` };
  }
  if (Array.isArray(data)) return undefined;
  return {
    field: "data",
    message:
      "must be a Float32Array, Int32Array, BigInt64Array or a flat list of numbers (TensorData.from converts)",
  };
}

function elementFault({ data, dtype }: TensorData): TensorFault | undefined {
  if (!Array.isArray(data)) return undefined;
  const index = dtype === "int64" ? firstNotSafeInteger(data) : firstNotFloat32(data);
  return index === -1 ? undefined : badElement(dtype, index, data[index]);
}

/** The fault of an element that its dtype cannot hold. */
export function badElement(dtype: TensorDtype, index: number, value: unknown): TensorFault {
  const kind =
    dtype === "int64" ? "a safe integer (larger ones need a BigInt64Array)" : "a number within float32";
  return { field: "data", index, message: `must be ${kind}, not ${String(value)}` };
}

function firstNotSafeInteger(values: readonly unknown[]): number {
  for (let index = 0; index < values.length; index++) if (!Number.isSafeInteger(values[index])) return index;
  return -1;
}

/** A finite number that rounds to infinity is a mistake; NaN and infinities themselves are float32 values. */
function firstNotFloat32(values: readonly unknown[]): number {
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (typeof value !== "number") return index;
    if (!Number.isFinite(Math.fround(value)) && Number.isFinite(value)) return index;
  }
  return -1;
}

function denseShapeFault({ data, shape }: TensorData): TensorFault | undefined {
  if (shape === undefined) return undefined;
  const bad = shapeFault(shape);
  if (bad !== undefined) return bad;
  if (elementCount(shape) === data.length) return undefined;
  return { field: "shape", message: `[${shape.join(", ")}] does not hold ${data.length} elements` };
}

function shapeFault(shape: readonly number[]): TensorFault | undefined {
  const index = shape.findIndex((size) => !Number.isSafeInteger(size) || size < 0);
  if (index === -1) return undefined;
  return { field: "shape", index, message: `must be a size of 0 or more, not ${String(shape[index])}` };
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
      message: `must have rows + 1 = ${rowCount + 1} entries, not ${crow.length}`,
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

const indicesSchema = z
  .custom<readonly number[]>(
    (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
    "must be a list of integers",
  )
  .meta({ type: "array", items: { type: "integer" } });

export const tensorDtypeSchema: z.ZodType<TensorDtype> = closedName(["int64", "float32"]);

export const tensorDataSchema: z.ZodType<TensorData> = sentObject(() => ({
  data: z
    .custom<TensorData["data"]>(isElements, "must be a flat list of numbers or a typed array")
    .meta({ type: "array", items: { type: "number" } }),
  dtype: tensorDtypeSchema,
  shape: indicesSchema.optional(),
  sparse_crow_indices: indicesSchema.optional(),
  sparse_col_indices: indicesSchema.optional(),
})).check((context) => {
  const fault = tensorFault(context.value as TensorData);
  if (fault === undefined) return;
  context.issues.push({
    code: "custom",
    message: fault.message,
    path: fault.index === undefined ? [fault.field] : [fault.field, fault.index],
    input: context.value,
  });
});

function isElements(value: unknown): boolean {
  return (
    Array.isArray(value) ||
    value instanceof Float32Array ||
    value instanceof Int32Array ||
    value instanceof BigInt64Array
  );
}
