import * as z from "zod";
import { closedName, type Open, unknownKind } from "../../schema/names.js";
import { receivedObject, sentObject, withDefault } from "../../schema/objects.js";
import { byType } from "../../schema/one-of-kinds.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { type Timestamp, timestampSchema } from "../data/timestamp.js";
import type { FinishReason } from "./sessions.js";

/** Owners whose sessions to look through: the caller's, everybody's the caller may see, or those of 1 to 10 named owners. */
export type SearchOwner =
  | { readonly type: "own" }
  | { readonly type: "accessible" }
  | { readonly type: "user"; readonly owner_urns: readonly string[] };

/** State to look for; `client_finished` may be narrowed by what the client said. */
export type SessionStatusQuery =
  | { readonly type: "active" | "cancelled" | "failed" }
  | { readonly type: "client_finished"; readonly reasons?: readonly FinishReason[] | undefined };

/** End of a page of sessions. Sent back unchanged: a `Date` would lose microseconds and move the border. */
export interface SessionSearchCursor {
  readonly last_created_at: Timestamp;
  readonly last_session_id: string;
}

/** Looks for sessions. Since 0.38. */
export interface SessionSearchRequest {
  /** Exact. With `display_name`: either may match. */
  readonly session_id?: string | undefined;
  /** Absent: all projects the caller may list. */
  readonly project_ids?: readonly string[] | undefined;
  /** All pairs must match. @defaultValue {} */
  readonly user_metadata?: Readonly<Record<string, string>> | undefined;
  /** Every word must occur; case does not matter. */
  readonly display_name?: string | undefined;
  /** @defaultValue own */
  readonly owner?: SearchOwner | undefined;
  readonly statuses?: readonly SessionStatusQuery[] | undefined;
  /** Sessions per page, 1 to 200. @defaultValue 50 */
  readonly limit?: number | undefined;
  readonly cursor?: SessionSearchCursor | undefined;
}

/** State of a session, by `type`: `active`, `cancelled`, `failed`, `client_finished`, or a kind we do not know. */
export type SessionStatus =
  | { readonly type: "active" }
  | { readonly type: "cancelled"; readonly detail?: string }
  | {
      readonly type: "failed";
      /** `user` or `internal`; not the categories of request errors. */
      readonly category: Open<"user" | "internal">;
      /** Cause of the failure: a `request`, a `training_run` or a `sampling_session`, with its id. */
      readonly reason: { readonly type: string; readonly [field: string]: unknown };
      readonly message: string;
    }
  | {
      readonly type: "client_finished";
      readonly reason: { readonly type: Open<FinishReason> };
      readonly detail?: string;
    }
  | { readonly type: string & {}; readonly [field: string]: unknown };

/** One session found. */
export interface SessionSummary {
  readonly session_id: string;
  readonly owner: string;
  readonly project_id: string;
  readonly created_at: Timestamp;
  /** Absent: neither finished nor known to run. */
  readonly status?: SessionStatus;
  readonly checkpoints_count: number;
  readonly display_name?: string;
  readonly user_metadata?: Readonly<Record<string, string>>;
  readonly checkpoint_storage_bytes?: number;
}

/** One page of the sessions found. Since 0.38. */
export interface SessionSearchResponse {
  /** Newest first. */
  readonly sessions: readonly SessionSummary[];
  /** Absent: this was the last page. */
  readonly next_cursor?: SessionSearchCursor;
}

const metadataSchema = z.record(z.string(), z.string());

/** A cursor's time must say its zone, or the page border would depend on the reader. */
const zonedTimestampSchema = timestampSchema.refine(
  (text) => /(Z|[+-]\d{2}:?\d{2})$/i.test(text),
  "must have a time zone",
);

export const sessionSearchCursorSchema: RecordSchema<SessionSearchCursor> = receivedObject(() => ({
  last_created_at: zonedTimestampSchema,
  last_session_id: z.string(),
}));

export const searchOwnerSchema: RecordSchema<SearchOwner> = z.discriminatedUnion(
  "type",
  [
    sentObject(() => ({ type: z.literal("own") })),
    sentObject(() => ({ type: z.literal("accessible") })),
    sentObject(() => ({ type: z.literal("user"), owner_urns: z.array(z.string().min(1)).min(1).max(10) })),
  ],
  { error: unknownKind("type", ["own", "accessible", "user"]) },
);

export const sessionStatusQuerySchema: RecordSchema<SessionStatusQuery> = z.discriminatedUnion(
  "type",
  [
    sentObject(() => ({ type: z.enum(["active", "cancelled", "failed"]) })),
    sentObject(() => ({
      type: z.literal("client_finished"),
      reasons: z
        .array(closedName(["success", "errored", "interrupted"]))
        .min(1)
        .optional(),
    })),
  ],
  { error: unknownKind("type", ["active", "cancelled", "failed", "client_finished"]) },
);

export const sessionSearchRequestSchema: RecordSchema<SessionSearchRequest> = sentObject(() => ({
  session_id: z.string().min(1).optional(),
  project_ids: z.array(z.string()).optional(),
  user_metadata: withDefault(metadataSchema, {}),
  display_name: z.string().min(1).optional(),
  owner: withDefault(zodOf(searchOwnerSchema), { type: "own" }),
  statuses: z.array(zodOf(sessionStatusQuerySchema)).min(1).optional(),
  limit: withDefault(z.int().min(1).max(200), 50),
  cursor: zodOf(sessionSearchCursorSchema).optional(),
}));

/** Kinds we know are checked; others are kept as they are. */
export const sessionStatusSchema: RecordSchema<SessionStatus> = byType<SessionStatus>(
  {
    active: z.looseObject({ type: z.literal("active") }),
    cancelled: receivedObject(() => ({ type: z.literal("cancelled"), detail: z.string().exactOptional() })),
    failed: receivedObject(() => ({
      type: z.literal("failed"),
      category: z.string(),
      reason: z.looseObject({ type: z.string() }),
      message: z.string(),
    })),
    client_finished: receivedObject(() => ({
      type: z.literal("client_finished"),
      reason: z.looseObject({ type: z.string() }),
      detail: z.string().exactOptional(),
    })),
  },
  z.looseObject({ type: z.string() }),
);

export const sessionSummarySchema: RecordSchema<SessionSummary> = receivedObject(() => ({
  session_id: z.string(),
  owner: z.string(),
  project_id: z.string(),
  created_at: timestampSchema,
  status: zodOf(sessionStatusSchema).exactOptional(),
  checkpoints_count: z.int(),
  display_name: z.string().exactOptional(),
  user_metadata: metadataSchema.exactOptional(),
  checkpoint_storage_bytes: z.int().exactOptional(),
}));

export const sessionSearchResponseSchema: RecordSchema<SessionSearchResponse> = receivedObject(() => ({
  sessions: z.array(zodOf(sessionSummarySchema)),
  next_cursor: zodOf(sessionSearchCursorSchema).exactOptional(),
}));
