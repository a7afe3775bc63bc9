import { parseRequestErrorCategory, type RequestErrorCategory } from "@tinkex/base";
import * as z from "zod";
import { closedName, type Open, openName } from "../../schema/names.js";
import { countSchema } from "../../schema/numbers.js";
import { receivedObject, sentObject, withDefault } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";

/** Asks for a result; the server holds the answer back until there is one, or for a while. */
export interface FutureRetrieveRequest {
  readonly request_id: string;
  /** Allow the server to announce a large result with its size first. Since 0.14. @defaultValue false */
  readonly allow_metadata_only?: boolean | undefined;
}

/** Why work has not begun. */
export type QueueState = "active" | "paused_capacity" | "paused_rate_limit";

/** The work is not done: ask again. */
export interface TryAgainResponse {
  readonly type: "try_again";
  readonly request_id?: string;
  readonly queue_state?: Open<QueueState>;
  /** For people. Since 0.7. */
  readonly queue_state_reason?: string;
}

/** The result is there and large: ask again with `allow_metadata_only: false`. Since 0.14. */
export interface CompleteMetadataResponse {
  readonly status: "complete_metadata";
  readonly response_payload_size: number;
}

/** The work failed. */
export interface RequestFailedResponse {
  readonly error: string;
  readonly category: RequestErrorCategory;
}

/** Outcome of asking for a result: one of the answers above, or the result. */
export type FutureOutcome<Result> =
  | {
      readonly state: "pending";
      readonly queue_state?: Open<QueueState>;
      readonly queue_state_reason?: string;
      /** Pause that the server asks for before the next poll, in milliseconds. */
      readonly retry_after_ms?: number;
    }
  | { readonly state: "metadata_only"; readonly response_payload_size: number }
  | {
      readonly state: "failed";
      readonly error: string;
      readonly category: RequestErrorCategory;
      /** The category as the server wrote it, when it is none of ours. */
      readonly raw_category?: string;
    }
  | { readonly state: "complete"; readonly result: Result };

/** Futures that a poll is about. */
export interface FuturesTarget {
  readonly type: "sampling_session";
  readonly sampling_session_id: string;
  /** Number of the clone of the sampler: ⌊seq_id / 10⁹⌋. @defaultValue 0 */
  readonly cloned_sampler_id?: number | undefined;
}

/** Asks which samples of a session have finished. Since 0.38. */
export interface FuturesRetrieveRequest {
  readonly target: FuturesTarget;
  /** The last answer's `cursor`; 0 = from the beginning. @defaultValue 0 */
  readonly prev_cursor?: number | bigint | undefined;
  /** Seconds the server may hold the answer: 0 = answer at once, absent = as long as it likes. */
  readonly timeout?: number | undefined;
  /** Results that have arrived and may be forgotten. @defaultValue [] */
  readonly retrieved_request_ids?: readonly string[] | undefined;
}

/** One sample that has finished. */
export interface FutureCompletion {
  /** A state we do not know means: done, fetch it. */
  readonly state: Open<"finished" | "failed">;
  readonly request_id: string;
  readonly response_payload_uncompressed_size?: number;
}

/** Samples that have finished since `prev_cursor`. Since 0.38. */
export interface FuturesRetrieveResponse {
  readonly completions: readonly FutureCompletion[];
  readonly cursor: number | bigint;
}

/** Tells the server that nobody waits for a sample any more. Since 0.38. */
export interface CancelFutureRequest {
  readonly request_id: string;
}

export const futureRetrieveRequestSchema: RecordSchema<FutureRetrieveRequest> = sentObject(() => ({
  request_id: z.string().min(1),
  allow_metadata_only: withDefault(z.boolean(), false),
}));

export const tryAgainResponseSchema: RecordSchema<TryAgainResponse> = receivedObject(() => ({
  type: z.literal("try_again"),
  request_id: z.string().exactOptional(),
  queue_state: openName(["active", "paused_capacity", "paused_rate_limit"]).exactOptional(),
  queue_state_reason: z.string().exactOptional(),
}));

export const completeMetadataResponseSchema: RecordSchema<CompleteMetadataResponse> = receivedObject(() => ({
  status: z.literal("complete_metadata"),
  response_payload_size: countSchema.default(0),
}));

export const requestFailedResponseSchema: RecordSchema<RequestFailedResponse> = receivedObject(() => ({
  error: z.string(),
  category: z.preprocess(parseRequestErrorCategory, z.enum(["unknown", "server", "user"])).default("unknown"),
}));

const cursorSchema = z.union([z.int().nonnegative(), z.bigint().nonnegative()]);

export const futuresTargetSchema: RecordSchema<FuturesTarget> = sentObject(() => ({
  type: closedName(["sampling_session"]),
  sampling_session_id: z.string().min(1),
  cloned_sampler_id: z.int().nonnegative().optional(),
}));

export const futuresRetrieveRequestSchema: RecordSchema<FuturesRetrieveRequest> = sentObject(() => ({
  target: zodOf(futuresTargetSchema),
  prev_cursor: withDefault(cursorSchema, 0),
  timeout: z.number().nonnegative().optional(),
  retrieved_request_ids: withDefault(z.array(z.string()), []),
}));

export const futureCompletionSchema: RecordSchema<FutureCompletion> = receivedObject(() => ({
  state: openName(["finished", "failed"]).default("finished"),
  request_id: z.string(),
  response_payload_uncompressed_size: z.int().exactOptional(),
}));

export const futuresRetrieveResponseSchema: RecordSchema<FuturesRetrieveResponse> = receivedObject(() => ({
  completions: z.array(zodOf(futureCompletionSchema)),
  cursor: cursorSchema,
}));

export const cancelFutureRequestSchema: RecordSchema<CancelFutureRequest> = sentObject(() => ({
  request_id: z.string().min(1),
}));
