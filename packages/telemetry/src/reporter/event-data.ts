import type { JsonObject, JsonValue } from "@tinkex/types";

/** Most characters of one string of an event. */
export const MAX_STRING_LENGTH = 8_192;
/** Most characters of the data of one event, names of fields included. */
const MAX_CHARACTERS = 65_536;
/** Most values of the data of one event, nested ones included: what is further is left out. */
const MAX_VALUES = 1_000;
const MAX_DEPTH = 8;
/** Stands for what throws when it is read. */
const UNREADABLE = "[unreadable]";

/**
 * Makes data fit for JSON and bounds it: a cycle, a function, a bigint or what is too deep becomes a word in brackets, and a long string
 * is cut. Never throws.
 */
export function eventData(data: Readonly<Record<string, unknown>>): JsonObject {
  const budget = { left: MAX_VALUES, characters: MAX_CHARACTERS };
  try {
    return Object.fromEntries(entriesOf(data, budget, new Set([data])));
  } catch {
    // A proxy may refuse to list its fields.
    return {};
  }
}

interface Budget {
  left: number;
  characters: number;
}

function entriesOf(value: object, budget: Budget, above: Set<unknown>): [string, JsonValue][] {
  const entries: [string, JsonValue][] = [];
  for (const key of Object.keys(value)) {
    if (budget.left <= 0) break;
    budget.left -= 1;
    const member = fit(read(value, key), budget, above);
    if (member !== undefined) entries.push([spend(key, budget), member]);
  }
  return entries;
}

function read(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return UNREADABLE;
  }
}

function fit(value: unknown, budget: Budget, above: Set<unknown>): JsonValue | undefined {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return spend(value, budget);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value === undefined) return undefined;
  if (typeof value !== "object") return `[${typeof value}]`;
  if (above.has(value)) return "[cycle]";
  if (above.size >= MAX_DEPTH) return "[too deep]";
  above.add(value);
  try {
    if (!Array.isArray(value)) return Object.fromEntries(entriesOf(value, budget, above));
    const items: JsonValue[] = [];
    for (const item of value) {
      if (budget.left <= 0) break;
      budget.left -= 1;
      items.push(fit(item, budget, above) ?? null);
    }
    return items;
  } catch {
    return UNREADABLE;
  } finally {
    above.delete(value);
  }
}

function spend(text: string, budget: Budget): string {
  const kept = cut(text.length <= budget.characters ? text : copyOf(text.slice(0, budget.characters)));
  budget.characters -= kept.length;
  return kept;
}

/** Cuts a text to the longest that is sent. */
export function cut(text: string): string {
  return text.length <= MAX_STRING_LENGTH ? text : `${copyOf(text.slice(0, MAX_STRING_LENGTH))}…`;
}

/** A copy, since a slice of a string keeps all of that in memory for as long as the event waits. */
function copyOf(slice: string): string {
  return Buffer.from(slice, "utf16le").toString("utf16le");
}
