import * as z from "zod";
import { type JsonObject, jsonObjectSchema } from "../../schema/json-value.js";
import { closedName, unknownKind } from "../../schema/names.js";
import { countSchema } from "../../schema/numbers.js";
import { receivedObject, sentObject, withDefault } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { sentTimestampSchema, type Timestamp } from "../data/timestamp.js";

/** Severity of an event. */
export type Severity = "DEBUG" | "INFO" | "WARNING" | "ERROR" | "CRITICAL";

/** Fields that every event has. */
interface TelemetryEventFields {
  /** A UUID of version 4. */
  readonly event_id: string;
  /** 0, 1, 2, … within a session. */
  readonly event_session_index: number;
  readonly severity: Severity;
  readonly timestamp: Timestamp;
}

/** A session began. */
export interface SessionStartEvent extends TelemetryEventFields {
  readonly event: "SESSION_START";
}

/** A session ended. */
export interface SessionEndEvent extends TelemetryEventFields {
  readonly event: "SESSION_END";
  /** `0:00:01`, `0:00:01.250000` or `1 day, 2:03:04`. */
  readonly duration: string;
}

/** An error that nobody caught. */
export interface UnhandledExceptionEvent extends TelemetryEventFields {
  readonly event: "UNHANDLED_EXCEPTION";
  readonly error_message: string;
  readonly error_type: string;
  readonly traceback?: string | undefined;
}

/** Anything else, by name. */
export interface GenericEvent extends TelemetryEventFields {
  readonly event: "GENERIC_EVENT";
  readonly event_name: string;
  /** @defaultValue {} */
  readonly event_data?: JsonObject | undefined;
}

/** One thing that happened in a session, told apart by `event`. */
export type TelemetryEvent = SessionStartEvent | SessionEndEvent | UnhandledExceptionEvent | GenericEvent;

/** Reports events of a session, at most 100 at a time. */
export interface TelemetrySendRequest {
  readonly events: readonly TelemetryEvent[];
  /** Operating system: `Linux`, `Darwin`, `Windows`. */
  readonly platform: string;
  readonly sdk_version: string;
  readonly session_id: string;
  /** Since 0.24. */
  readonly process_uuid?: string | undefined;
}

/** The answer to telemetry. */
export interface TelemetryResponse {
  /** `accepted`. */
  readonly status: string;
}

const commonFields = {
  event_id: z.string().min(1),
  event_session_index: countSchema,
  severity: closedName(["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]),
  timestamp: sentTimestampSchema,
};

export const telemetryEventSchema: RecordSchema<TelemetryEvent> = z.discriminatedUnion(
  "event",
  [
    sentObject(() => ({ event: z.literal("SESSION_START"), ...commonFields })),
    sentObject(() => ({ event: z.literal("SESSION_END"), ...commonFields, duration: z.string() })),
    sentObject(() => ({
      event: z.literal("UNHANDLED_EXCEPTION"),
      ...commonFields,
      error_message: z.string(),
      error_type: z.string(),
      traceback: z.string().optional(),
    })),
    sentObject(() => ({
      event: z.literal("GENERIC_EVENT"),
      ...commonFields,
      event_name: z.string(),
      event_data: withDefault(zodOf(jsonObjectSchema), {}),
    })),
  ],
  { error: unknownKind("event", ["SESSION_START", "SESSION_END", "UNHANDLED_EXCEPTION", "GENERIC_EVENT"]) },
);

export const telemetrySendRequestSchema: RecordSchema<TelemetrySendRequest> = sentObject(() => ({
  events: z.array(zodOf(telemetryEventSchema)).max(100),
  platform: z.string(),
  sdk_version: z.string().min(1),
  session_id: z.string().min(1),
  process_uuid: z.string().optional(),
}));

export const telemetryResponseSchema: RecordSchema<TelemetryResponse> = receivedObject(() => ({
  status: z.string(),
}));
