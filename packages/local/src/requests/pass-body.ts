import type { TensorData } from "@tinkex/types";
import * as z from "zod";
import { isRecord, listOf, mapOf } from "../json/bounded-collections.js";
import { recordBody } from "./record-body.js";
import { sequenceId } from "./request-body.js";

/** Limit on the datums of a request, as in its protobuf form. Clients send 1024 at most. */
const MAX_DATUMS = 65_536;

/** Numbers by their look only: their values are checked with their tensor, by one walk for all forms a request may have. */
const numberList = z.custom<readonly number[]>(
  (value) =>
    Array.isArray(value) && !value.some((element) => typeof element === "object" && element !== null),
  "must be an array of numbers",
);

/** Chunk of any kind, as it is: the operation refuses what is no text, since these models read nothing else. */
export const anyChunk = z.custom<object>(isRecord, "must be an object");

// None of the fields below is taken as its record says: an operation tells the fault of a value, the arrays have limits, and a
// request may hold many thousands of datums.
export const anyTensor: z.ZodType<TensorData> = recordBody("TensorData")([], {
  data: numberList,
  dtype: z.enum(["int64", "float32"]),
  shape: numberList.optional(),
  sparse_crow_indices: numberList.optional(),
  sparse_col_indices: numberList.optional(),
});

const datum = recordBody("Datum")([], {
  model_input: recordBody("ModelInput")([], { chunks: listOf(anyChunk) }),
  loss_fn_inputs: mapOf(anyTensor),
});

const input = recordBody("ForwardBackwardInput")([], {
  data: listOf(datum, MAX_DATUMS),
  loss_fn: z.string(),
  loss_fn_config: mapOf(z.union([z.number(), z.string()])).optional(),
});

/** JSON body of `forward_backward`. */
export const forwardBackwardBody = recordBody("ForwardBackwardRequest")(["model_id"], {
  forward_backward_input: input,
  seq_id: sequenceId.optional(),
});

/** JSON body of `forward`, which only clients before 0.25 use. */
export const forwardBody = recordBody("ForwardRequest")(["model_id"], {
  forward_input: input,
  seq_id: sequenceId.optional(),
});

/** Training pass, from either form of its request. Its loss and values are as sent, checked by the operation. */
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
