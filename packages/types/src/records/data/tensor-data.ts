import { type Float32Data, type Int64Data, type TensorData, type TensorDtype, tensorFault } from "@tinkex/base";
import * as z from "zod";
import { closedName } from "../../schema/names.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { sentObject } from "../../schema/objects.js";
import { zodOf } from "../../schema/zod-of.js";

export type { Float32Data, Int64Data, TensorData, TensorDtype };

const indicesSchema = z
  .custom<readonly number[]>(
    (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
    "must be a list of integers",
  )
  .meta({ type: "array", items: { type: "integer" } });

export const tensorDtypeSchema: RecordSchema<TensorDtype> = closedName(["int64", "float32"]);

/** Reads long integers: a JSON parser that keeps integers beyond 2⁵³ gives them as bigints, which a list of numbers cannot hold. */
function withLongIntegers(tensor: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { data, dtype } = tensor;
  if (!Array.isArray(data) || !data.some((element) => typeof element === "bigint")) return tensor;
  if (dtype !== "int64") return { ...tensor, data: data.map(Number) };
  const isInteger = (element: unknown): boolean => typeof element === "bigint" || Number.isInteger(element);
  return data.every(isInteger) ? { ...tensor, data: BigInt64Array.from(data, BigInt) } : tensor;
}

export const tensorDataSchema: RecordSchema<TensorData> = sentObject(() => ({
  data: z
    .custom<TensorData["data"]>(isElements, "must be a flat list of numbers or a typed array")
    .meta({ type: "array", items: { type: "number" } }),
  dtype: zodOf(tensorDtypeSchema),
  shape: indicesSchema.optional(),
  sparse_crow_indices: indicesSchema.optional(),
  sparse_col_indices: indicesSchema.optional(),
}), { readReceived: withLongIntegers }).check((context) => {
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
