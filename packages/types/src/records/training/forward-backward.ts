import * as z from "zod";
import { receivedNumberSchema } from "../../schema/numbers.js";
import { receivedObject, sentObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { type Datum, datumSchema, type NamedTensors } from "../data/datum.js";
import { receivedTensorSchema } from "../data/received-tensor.js";
import { type LossFnConfig, type LossFnType, lossFnTypeSchema } from "./loss-function.js";

/** The examples of one request and the loss over them. */
export interface ForwardBackwardInput {
  readonly data: readonly Datum[];
  readonly loss_fn: LossFnType;
  readonly loss_fn_config?: LossFnConfig | undefined;
}

/** One request of a training pass. */
export interface ForwardBackwardRequest {
  readonly forward_backward_input: ForwardBackwardInput;
  readonly model_id: string;
  /** The model's own count of training requests: 1, 2, 3, … Repeats of a request carry the same number. */
  readonly seq_id: number;
  /** Loss and log-probabilities without a gradient. A field in protobuf; in JSON another endpoint. @defaultValue false */
  readonly forward_only?: boolean | undefined;
}

/** The JSON form of a pass without a gradient, as servers of the 0.4 generation take it at their own endpoint. */
export interface ForwardRequest {
  readonly forward_input: ForwardBackwardInput;
  readonly model_id: string;
  readonly seq_id: number;
}

/** Result of a training pass. */
export interface ForwardBackwardOutput {
  /** The service's name for the kind of its outputs, e.g. `ArrayRecord`; carried through. */
  readonly loss_fn_output_type: string;
  /** One entry per datum in the order sent, e.g. `logprobs` in the shape of its `target_tokens`. */
  readonly loss_fn_outputs: readonly NamedTensors[];
  /** By `name:reduction`, e.g. `loss:sum`. A value the service could not compute is NaN. */
  readonly metrics: Readonly<Record<string, number>>;
}

const lossFnConfigSchema: z.ZodType<LossFnConfig, LossFnConfig> = z.record(
  z.string(),
  z.union([z.number(), z.string()], { error: "must be a number or a string" }),
);

export const forwardBackwardInputSchema: RecordSchema<ForwardBackwardInput> = sentObject(() => ({
  data: z.array(zodOf(datumSchema)).min(1, "no data provided"),
  loss_fn: zodOf(lossFnTypeSchema),
  loss_fn_config: lossFnConfigSchema.optional(),
}));

const seqIdSchema = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

export const forwardBackwardRequestSchema: RecordSchema<ForwardBackwardRequest> = sentObject(() => ({
  forward_backward_input: zodOf(forwardBackwardInputSchema),
  model_id: z.string().min(1),
  seq_id: seqIdSchema,
  forward_only: z.boolean().optional(),
}));

export const forwardRequestSchema: RecordSchema<ForwardRequest> = sentObject(() => ({
  forward_input: zodOf(forwardBackwardInputSchema),
  model_id: z.string().min(1),
  seq_id: seqIdSchema,
}));

/** Numbers by name; null and the strings for NaN and infinity are read as such. */
export const metricsSchema: RecordSchema<Readonly<Record<string, number>>> = z.record(
  z.string(),
  receivedNumberSchema,
);

export const forwardBackwardOutputSchema: RecordSchema<ForwardBackwardOutput> = receivedObject(() => ({
  loss_fn_output_type: z.string(),
  loss_fn_outputs: z.array(z.record(z.string(), zodOf(receivedTensorSchema))),
  metrics: zodOf(metricsSchema).default({}),
}));
