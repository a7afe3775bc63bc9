import type { TensorData } from "@tinkex/types";
import * as z from "zod";
import { isRecord, listOf, mapOf } from "../json/bounded-collections.js";
import { requestBody, sequenceId } from "./request-body.js";

/** Most datums of a request, as in its protobuf form. Clients send 1024 at most. */
const MAX_DATUMS = 65_536;

/** The values of the elements are checked with their tensor, by one walk for all forms a request may have. */
const numberList = z.custom<readonly number[]>(
  (value) =>
    Array.isArray(value) && !value.some((element) => typeof element === "object" && element !== null),
  "must be a list of numbers",
);

/** A chunk of any kind, as it is: the operation refuses what is no text, since these models read nothing else. */
export const anyChunk = z.custom<object>(isRecord, "must be an object");

const tensor: z.ZodType<TensorData> = requestBody({
  data: numberList,
  dtype: z.enum(["int64", "float32"]),
  shape: numberList.optional(),
  sparse_crow_indices: numberList.optional(),
  sparse_col_indices: numberList.optional(),
});

const datum = requestBody({
  model_input: requestBody({ chunks: listOf(anyChunk) }),
  loss_fn_inputs: mapOf(tensor),
});

const input = requestBody({
  data: listOf(datum, MAX_DATUMS),
  loss_fn: z.string(),
  loss_fn_config: mapOf(z.union([z.number(), z.string()])).optional(),
});

/** JSON body of `forward_backward`. */
export const forwardBackwardBody = requestBody({
  forward_backward_input: input,
  model_id: z.string(),
  seq_id: sequenceId.optional(),
});

/** JSON body of `forward`, which only clients before 0.25 use. */
export const forwardBody = requestBody({
  forward_input: input,
  model_id: z.string(),
  seq_id: sequenceId.optional(),
});

/** A training pass in whichever form it came. Its loss and values are as sent, checked by the operation. */
export interface PassBody {
  readonly model_id: string;
  readonly seq_id: number | undefined;
  readonly data: readonly ReceivedDatum[];
  readonly loss_fn: string;
  readonly loss_fn_config?: Readonly<Record<string, number | string>> | undefined;
  /** Loss and log-probabilities only; the gradient gathered so far stays as it is. */
  readonly forward_only: boolean;
}

export interface ReceivedDatum {
  readonly model_input: { readonly chunks: readonly object[] };
  readonly loss_fn_inputs: Readonly<Record<string, TensorData>>;
}
