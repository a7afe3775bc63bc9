import * as z from "zod";
import { closedName } from "./schema/names.js";
import type { RecordSchema } from "./schema/record-schema.js";
import { sentObject } from "./schema/sent-object.js";
import { zodOf } from "./schema/zod-of.js";
import { tensorFault } from "./tensor-fault.js";

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

const indicesSchema = z
  .custom<readonly number[]>(
    (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
    "must be a list of integers",
  )
  .meta({ type: "array", items: { type: "integer" } });

export const tensorDtypeSchema: RecordSchema<TensorDtype> = closedName(["int64", "float32"]);

export const tensorDataSchema: RecordSchema<TensorData> = sentObject(() => ({
  data: z
    .custom<TensorData["data"]>(isElements, "must be a flat list of numbers or a typed array")
    .meta({ type: "array", items: { type: "number" } }),
  dtype: zodOf(tensorDtypeSchema),
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
