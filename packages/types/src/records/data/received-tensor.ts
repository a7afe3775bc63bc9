import { tensorFault } from "@tinkex/base";
import * as z from "zod";
import { readNumber } from "../../schema/numbers.js";
import { receivedObject, typedInput } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import type { TensorData } from "./tensor-data.js";

/** A float32 tensor of an answer. */
export interface ReceivedFloat32Tensor extends TensorData {
  readonly dtype: "float32";
  readonly data: Float32Array;
}

/** An int64 tensor of an answer. */
export interface ReceivedInt64Tensor extends TensorData {
  readonly dtype: "int64";
  readonly data: BigInt64Array;
}

/** A tensor of an answer. Its `dtype` says which typed array holds the elements, so that `data.map` and the like compile. */
export type ReceivedTensor = ReceivedFloat32Tensor | ReceivedInt64Tensor;

/** Tensors of an answer by name, of one datum: `logprobs` in the shape of its `target_tokens`, and whatever else a loss gives. */
export type LossFnOutput = Readonly<Record<string, ReceivedTensor>> & {
  readonly logprobs?: ReceivedFloat32Tensor;
};

/**
 * A tensor as JSON answers carry it, read to typed arrays so that it equals the same tensor read from protobuf:
 * float32 to `Float32Array` (null and the words for NaN and infinity included), int64 to `BigInt64Array`, and a shape
 * that is not stated to `[n]`. Shape and sparse indices must fit the elements.
 */
export const receivedTensorSchema: RecordSchema<TensorData> = typedInput(receivedObject(() => ({
  data: z
    .custom<readonly unknown[]>(Array.isArray, "must be a list of numbers")
    .meta({ type: "array", items: { type: "number" } }),
  dtype: z.enum(["int64", "float32"]),
  shape: z.array(z.int()).exactOptional(),
  sparse_crow_indices: z.array(z.int()).exactOptional(),
  sparse_col_indices: z.array(z.int()).exactOptional(),
})).transform((received, context): TensorData => {
  const { data: list, dtype, shape } = received;
  const data = dtype === "float32" ? float32Of(list) : int64Of(list);
  if (data === undefined) {
    context.issues.push({
      code: "custom",
      message: `data holds a value that is not ${dtype}`,
      input: list,
      path: ["data"],
    });
    return z.NEVER;
  }
  const tensor = { ...received, data, shape: shape ?? [data.length] };
  const fault = tensorFault(tensor);
  if (fault === undefined) return tensor;
  context.issues.push({ code: "custom", message: fault.message, input: received, path: [fault.field] });
  return z.NEVER;
}));

function float32Of(list: readonly unknown[]): Float32Array | undefined {
  const data = new Float32Array(list.length);
  for (let index = 0; index < list.length; index += 1) {
    const value = readNumber(list[index]);
    if (typeof value !== "number") return undefined;
    data[index] = value;
  }
  return data;
}

function int64Of(list: readonly unknown[]): BigInt64Array | undefined {
  const data = new BigInt64Array(list.length);
  for (let index = 0; index < list.length; index += 1) {
    const value = list[index];
    if (typeof value === "bigint" ? BigInt.asIntN(64, value) !== value : !Number.isInteger(value))
      return undefined;
    data[index] = BigInt(value as number | bigint);
  }
  return data;
}
