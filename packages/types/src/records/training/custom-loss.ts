import * as z from "zod";
import { receivedType, sentType } from "../../schema/names.js";
import { countSchema } from "../../schema/numbers.js";
import { receivedObject, sentObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { type CustomLossGraph, customLossGraphSchema } from "./custom-loss-graph.js";

/** A parameter of a custom loss; the first is `logprobs`. */
export interface CustomLossInput {
  readonly name: string;
  /** 0: a scalar; 1: `[T]`; 2: `[T, K]`. */
  readonly rank: 0 | 1 | 2;
}

/** Uploads a loss that the server then runs. Since 0.38. */
export interface CreateCustomLossRequest {
  readonly session_id: string;
  /** The session's own count of losses, from 0. */
  readonly custom_loss_seq_id: number;
  /** For people. */
  readonly name: string;
  readonly inputs: readonly CustomLossInput[];
  readonly graph: CustomLossGraph;
  readonly type?: "create_custom_loss" | undefined;
}

/** The result of uploading a loss. Since 0.38. */
export interface CreateCustomLossResponse {
  /** Goes into the loss config of `custom`. */
  readonly loss_id: string;
  readonly type?: string;
}

export const customLossInputSchema: RecordSchema<CustomLossInput> = sentObject(() => ({
  name: z.string().regex(/^[a-z_][a-z0-9_]{0,63}$/, "must match [a-z_][a-z0-9_]{0,63}"),
  rank: z.literal([0, 1, 2]),
}));

export const createCustomLossRequestSchema: RecordSchema<CreateCustomLossRequest> = sentObject(() => ({
  session_id: z.string().min(1),
  custom_loss_seq_id: countSchema,
  name: z.string(),
  inputs: z.array(zodOf(customLossInputSchema)).min(1).max(16),
  graph: zodOf(customLossGraphSchema),
  type: sentType("create_custom_loss"),
})).check((context) => {
  const inputs = context.value.inputs as readonly CustomLossInput[];
  const [first] = inputs;
  const twice = inputs.findIndex(
    ({ name }, index) => inputs.findIndex((other) => other.name === name) < index,
  );
  if (twice !== -1) {
    const message = `"${inputs[twice]?.name}" is there twice`;
    context.issues.push({ code: "custom", message, path: ["inputs", twice], input: inputs });
  }
  if (first === undefined || (first.name === "logprobs" && first.rank !== 0)) return;
  context.issues.push({
    code: "custom",
    message: "must begin with logprobs of rank 1 or 2",
    path: ["inputs", 0],
    input: first,
  });
});

export const createCustomLossResponseSchema: RecordSchema<CreateCustomLossResponse> = receivedObject(() => ({
  loss_id: z.string(),
  type: receivedType(),
}));
