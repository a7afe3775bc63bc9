import * as z from "zod";
import { type JsonObject, jsonObjectSchema } from "../../schema/json-value.js";
import { closedName, receivedType, sentType } from "../../schema/names.js";
import { receivedObject, sentObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";

/** Opens a session, which holds everything a client makes. */
export interface CreateSessionRequest {
  readonly tags: readonly string[];
  readonly user_metadata: JsonObject;
  /** Version of a compatible official SDK; servers decide on features by it. */
  readonly sdk_version: string;
  /** Since 0.15. */
  readonly project_id?: string | undefined;
  /** Free text for lists and search; need not be unique. Since 0.38. */
  readonly display_name?: string | undefined;
  readonly type?: "create_session" | undefined;
}

/** The session that was opened, and what the service has to say about it. */
export interface CreateSessionResponse {
  readonly session_id: string;
  /** For the log. An `error_message` does not fail the call. */
  readonly info_message?: string;
  readonly warning_message?: string;
  readonly error_message?: string;
  readonly type?: string;
}

/** Says that the client is alive; a server ends sessions that fall silent. */
export interface SessionHeartbeatRequest {
  readonly session_id: string;
  readonly type?: "session_heartbeat" | undefined;
}

/** The answer to a heartbeat. */
export interface SessionHeartbeatResponse {
  readonly type?: string;
}

/** Client's word for how its session went. */
export type FinishReason = "success" | "errored" | "interrupted";

/** Ends a session for good. Since 0.38. */
export interface FinishSessionRequest {
  readonly reason: { readonly type: FinishReason };
  /** Travels as null when there is none. */
  readonly detail?: string | null | undefined;
}

/** Ids of the caller's sessions. Since 0.5. */
export interface ListSessionsResponse {
  readonly sessions: readonly string[];
}

/** Runs and samplers that a session has made. Since 0.5. */
export interface GetSessionResponse {
  readonly training_run_ids: readonly string[];
  readonly sampler_ids: readonly string[];
  /** Since 0.38. */
  readonly user_metadata?: Readonly<Record<string, string>>;
  /** Since 0.38. */
  readonly display_name?: string;
}

/** Moves a session to a project. */
export interface SetSessionProjectRequest {
  readonly project_id: string;
}

/** State of the file that holds a session's traces. Since 0.24. */
export interface TraceExportResponse {
  /** `pending`, `ready` or `failed`. */
  readonly status: string;
  readonly url?: string;
  readonly error?: string;
}

export const createSessionRequestSchema: RecordSchema<CreateSessionRequest> = sentObject(
  () => ({
    tags: z.array(z.string()),
    user_metadata: zodOf(jsonObjectSchema),
    sdk_version: z.string().min(1),
    project_id: z.string().optional(),
    display_name: z.string().optional(),
    type: sentType("create_session"),
  }),
  // The record of the official SDK may say null for none.
  { readReceived: (fields) => ({ ...fields, user_metadata: fields.user_metadata ?? {} }) },
);

export const createSessionResponseSchema: RecordSchema<CreateSessionResponse> = receivedObject(() => ({
  session_id: z.string(),
  info_message: z.string().exactOptional(),
  warning_message: z.string().exactOptional(),
  error_message: z.string().exactOptional(),
  type: receivedType(),
}));

export const sessionHeartbeatRequestSchema: RecordSchema<SessionHeartbeatRequest> = sentObject(() => ({
  session_id: z.string().min(1),
  type: sentType("session_heartbeat"),
}));

export const sessionHeartbeatResponseSchema: RecordSchema<SessionHeartbeatResponse> = receivedObject(() => ({
  type: receivedType(),
}));

export const finishSessionRequestSchema: RecordSchema<FinishSessionRequest> = sentObject(() => ({
  reason: sentObject(() => ({ type: closedName(["success", "errored", "interrupted"]) })),
  detail: z.string().nullable().optional(),
}));

export const listSessionsResponseSchema: RecordSchema<ListSessionsResponse> = receivedObject(() => ({
  sessions: z.array(z.string()),
}));

export const getSessionResponseSchema: RecordSchema<GetSessionResponse> = receivedObject(() => ({
  training_run_ids: z.array(z.string()),
  sampler_ids: z.array(z.string()),
  user_metadata: z.record(z.string(), z.string()).exactOptional(),
  display_name: z.string().exactOptional(),
}));

export const setSessionProjectRequestSchema: RecordSchema<SetSessionProjectRequest> = sentObject(() => ({
  project_id: z.string().min(1),
}));

export const traceExportResponseSchema: RecordSchema<TraceExportResponse> = receivedObject(() => ({
  status: z.string(),
  url: z.string().exactOptional(),
  error: z.string().exactOptional(),
}));
