import { defineOwn } from "../define-own.js";
import type { Holds, SentRecord } from "./sent-record.js";

/**
 * Reads the fields of a request body as a server does, whichever generation wrote it: unknown fields are dropped, null reads as absent,
 * and absent fields get their defaults, so that equal requests become equal records.
 */
export function fieldsReceived(value: unknown, record: SentRecord): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const received: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(record.fields)) {
    const given: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    const chosen = given ?? field.default ?? (field.nullWhenUnset === true ? given : undefined);
    if (chosen === undefined) continue;
    received[name] = field.holds === undefined ? chosen : receiveHeld(chosen, field.holds);
  }
  return record.received === undefined ? received : record.received(received, value);
}

function receiveHeld(value: unknown, { as, record }: Holds): unknown {
  const receive = (item: unknown): unknown => {
    if (typeof item !== "object" || item === null) return item;
    return fieldsReceived(item, typeof record === "function" ? record(item) : record);
  };
  if (as === "record") return receive(value);
  if (as === "list") return Array.isArray(value) ? value.map(receive) : value;
  if (typeof value !== "object" || value === null) return value;
  const entries: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) defineOwn(entries, key, receive(item));
  return entries;
}
