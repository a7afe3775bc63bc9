import { describeValue, ValidationError } from "@tinkex/base";
import type { AuditEventType, AuditLogResponse } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import type { RestRequest } from "../rest/rest-request.js";

/** Entries of the audit log to give. */
export interface AuditLogOptions extends CallOptions {
  /** @defaultValue `all` */
  readonly event_type?: AuditEventType | undefined;
  /** One UTC day: `2026-05-27`, or a date in it. @defaultValue the service's choice */
  readonly day?: string | Date | undefined;
}

export const AUDIT_LOG_OPTIONS = { ...CALL_OPTIONS, event_type: true, day: true } as const;

const EVENT_TYPES: readonly unknown[] = [
  "all",
  "checkpoints",
  "projects",
  "teams",
  "organizations",
] satisfies AuditEventType[];

/** The query of an audit log. */
export interface AuditQuery {
  readonly event_type: AuditEventType;
  readonly day: string | undefined;
}

/** @throws ValidationError */
export function checkAuditLog(method: string, { event_type = "all", day }: AuditLogOptions): AuditQuery {
  if (!EVENT_TYPES.includes(event_type)) {
    throw new ValidationError(
      `${method}: event_type must be one of ${EVENT_TYPES.join(", ")}, got ${describeValue(event_type)}`,
      { path: ["event_type"] },
    );
  }
  return { event_type, day: day === undefined ? undefined : dayOf(method, day) };
}

const MAX_DAY_LENGTH = "2026-05-27".length;

function dayOf(method: string, day: string | Date): string {
  const date =
    day instanceof Date ? day : new Date(typeof day === "string" ? `${day}T00:00:00Z` : Number.NaN);
  const text = Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, MAX_DAY_LENGTH);
  if (text !== undefined && (typeof day !== "string" || text === day)) return text;
  throw new ValidationError(`${method}: day must be a Date or YYYY-MM-DD, got ${describeValue(day)}`, {
    path: ["day"],
  });
}

/** Reads the audit log. */
export function readAuditLog(request: RestRequest, query: AuditQuery): Promise<AuditLogResponse> {
  return request.ask("get_audit_log", undefined, { query: { ...query } });
}
