import { writeJson } from "@tinkex/wire";
import * as z from "zod";
import { RequestRefusal } from "../errors/request-refusal.js";
import { isRecord, MAX_ISSUES } from "../json/bounded-collections.js";
import { shortened } from "../json/shortened.js";

/**
 * Builds the schema of an object as clients of every generation send it: unknown fields are ignored, `null` means absent, `type`
 * need not be there. Only what a request must have to be understood is required; values are checked where they are used, so
 * that a wrong one fails its own operation and not the order of those behind it. Records are read by `recordBody`.
 */
export function requestBody<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const keys = Object.keys(shape);
  return z.preprocess((value) => (isRecord(value) ? presentMembers(value, keys) : value), z.object(shape));
}

/** Limit on the name of a field that is given back to its sender, in characters. */
const MAX_NAME_LENGTH = 100;

/**
 * Reads a body, or the query of a URL, by its schema.
 *
 * @throws RequestRefusal 422 that names the fields at fault, twenty of them at most
 */
export function readBody<T>(schema: z.ZodType<T>, body: unknown, place: "body" | "query" = "body"): T {
  const outcome = schema.safeParse(body ?? {});
  if (outcome.success) return outcome.data;
  throw new RequestRefusal(
    422,
    outcome.error.issues.slice(0, MAX_ISSUES).map(({ code, path, message }) => ({
      type: code ?? "custom",
      loc: [
        place,
        ...path.map((step) => (typeof step === "number" ? step : shortened(String(step), MAX_NAME_LENGTH))),
      ],
      msg: shortened(message),
    })),
  );
}

/** Sequence id: a whole number from 0. */
export const sequenceId = z.int().min(0);

/** Metadata of sessions, runs and checkpoints. Only strings can be given back as they came: all else is kept as its JSON. */
export const userMetadata = z
  .custom<Readonly<Record<string, unknown>>>(isRecord, "must be an object")
  .transform((given) => {
    const strings: [string, string][] = [];
    for (const [key, value] of Object.entries(given)) {
      if (value !== null)
        strings.push([key, typeof value === "string" ? value : writeJson(value, "user_metadata")]);
    }
    return Object.fromEntries(strings);
  });

/** Picks the members that a schema knows, so that others cost nothing, however many there are; null counts as absent. */
export function presentMembers(
  value: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const key of keys) {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    if (member !== null && member !== undefined) members[key] = member;
  }
  return members;
}
