import * as z from "zod";
import { receivedObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { type Timestamp, timestampSchema } from "../data/timestamp.js";

/** Kind of events to list: the value of the query parameter `event_type`. */
export type AuditEventType = "all" | "checkpoints" | "projects" | "teams" | "organizations";

/** Something that was done. Since 0.20. */
export interface AuditLogEntry {
  readonly timestamp: Timestamp;
  /** `<resource>_<action>`. */
  readonly event: string;
  /** Since 0.38. */
  readonly event_details: Readonly<Record<string, unknown>>;
  /** Deprecated by the service, like the two below, in favour of `event_details`. */
  readonly model_id?: string;
  readonly tinker_path?: string;
  readonly purpose?: string;
}

/** Entries of the audit log. Since 0.20. */
export interface AuditLogResponse {
  readonly entries: readonly AuditLogEntry[];
}

export const auditLogEntrySchema: RecordSchema<AuditLogEntry> = receivedObject(() => ({
  timestamp: timestampSchema,
  event: z.string(),
  event_details: z.record(z.string(), z.unknown()).default({}),
  model_id: z.string().exactOptional(),
  tinker_path: z.string().exactOptional(),
  purpose: z.string().exactOptional(),
}));

export const auditLogResponseSchema: RecordSchema<AuditLogResponse> = receivedObject(() => ({
  entries: z.array(zodOf(auditLogEntrySchema)),
}));
