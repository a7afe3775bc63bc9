import * as z from "zod";
import type { RecordSchema } from "./record-schema.js";

/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A JSON object, e.g. the metadata a user attaches to a session. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Deeper than any metadata; a value that refers to itself has no end. */
const DEEPEST = 32;

/** Checks that a value has a JSON form: no functions, dates, cycles or numbers that are not finite. */
export const jsonObjectSchema: RecordSchema<JsonObject> = z
  .custom<JsonObject>((value) => isObject(value) && isPlain(value), "must be an object")
  .check(reportJsonFault)
  .meta({ type: "object", additionalProperties: true });

/** Reports the first part of a value that has no JSON form. */
export function reportJsonFault(context: z.core.ParsePayload<unknown>): void {
  const fault = jsonFault(context.value, []);
  if (fault !== undefined) context.issues.push({ code: "custom", input: context.value, ...fault });
}

interface JsonFault {
  readonly path: (string | number)[];
  readonly message: string;
}

function jsonFault(value: unknown, path: readonly (string | number)[]): JsonFault | undefined {
  const fault = (message: string): JsonFault => ({ path: [...path], message });
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number")
    return Number.isFinite(value) ? undefined : fault(`${value} has no JSON form`);
  if (!isObject(value)) return fault(`a value of type ${typeof value} has no JSON form`);
  if (path.length === DEEPEST) return fault(`is nested deeper than ${DEEPEST} levels, or refers to itself`);
  if (Array.isArray(value)) return firstFault(value.entries(), path);
  if (isPlain(value)) return firstFault(Object.entries(value), path);
  return fault(`a ${value.constructor.name} has no JSON form`);
}

function firstFault(
  members: Iterable<readonly [string | number, unknown]>,
  path: readonly (string | number)[],
): JsonFault | undefined {
  for (const [key, member] of members) {
    const fault = jsonFault(member, [...path, key]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
