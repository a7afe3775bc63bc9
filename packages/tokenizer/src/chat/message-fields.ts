import { ValidationError } from "@tinkex/base";
import type { TemplateMessage } from "./apply-chat-template.js";

/** The fields of a message, by name. */
export type Fields = Readonly<Record<string, unknown>> | Map<string, unknown>;

/** Leaves out fields that are null: to a template they are absent. */
export function withoutNulls(message: TemplateMessage, index: number): Fields {
  if (typeof message !== "object" || message === null) {
    throw new ValidationError(`messages[${index}] must be an object with a role, got ${String(message)}`, {
      path: ["messages", index],
    });
  }
  return withEntries(message, (entries) =>
    entries.filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Gives reasoning, which has had several names, under the two that templates read. */
export function withReasoning(message: Fields): Fields {
  const reasoning = ["reasoning_content", "thinking", "reasoning"]
    .map((name) => fieldOf(message, name))
    .find((value) => value !== undefined);
  if (reasoning === undefined) return message;
  return withEntries(message, (entries) => [
    ["thinking", reasoning],
    ...entries,
    ["reasoning_content", reasoning],
  ]);
}

/** Reads a field of an object or a Map. */
export function fieldOf(fields: Fields, name: string): unknown {
  if (fields instanceof Map) return fields.get(name);
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Makes an object of other entries; of two with one name the first gives the place and the last the value. A Map stays one. */
export function withEntries(
  fields: Fields,
  change: (entries: [string, unknown][]) => [string, unknown][],
): Fields {
  return fields instanceof Map
    ? new Map(change([...fields]))
    : Object.fromEntries(change(Object.entries(fields)));
}
