import { writeJson } from "@tinkex/wire";
import * as z from "zod";
import { RequestRefusal } from "../errors/request-refusal.js";
import { isRecord, MAX_ISSUES } from "../json/bounded-collections.js";
import { shortened } from "../json/shortened.js";

/**
 * A body as clients of every generation send it: unknown fields are ignored, `null` means absent, `type` need not be
 * there. Only what a request must have to be understood is required; values are checked where they are used, so that a
 * wrong one fails its own operation and not the order of those behind it.
 */
export function requestBody<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const keys = Object.keys(shape);
  return z.preprocess((value) => membersOf(value, keys), z.object(shape));
}

/** Longest name of a field that is given back to its sender, in characters. */
const MAX_STEP = 100;

/**
 * A body, or the query of a URL, read by `schema`.
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
        ...path.map((step) => (typeof step === "number" ? step : shortened(String(step), MAX_STEP))),
      ],
      msg: shortened(message),
    })),
  );
}

/** A sequence id: a whole number from 0. */
export const sequenceId = z.int().min(0);

/** A seed, or the number of a sample request: any whole number of 64 bits, beyond 2⁵³ as a bigint. */
export const wideInteger = z.union([z.int(), z.bigint()]);

/** What users attach to sessions, runs and checkpoints. Only texts can be given back as they came. */
export const userMetadata = z
  .custom<Readonly<Record<string, unknown>>>(isRecord, "must be an object")
  .transform((given) => {
    const texts: [string, string][] = [];
    for (const [key, value] of Object.entries(given)) {
      if (value !== null)
        texts.push([key, typeof value === "string" ? value : writeJson(value, "user_metadata")]);
    }
    return Object.fromEntries(texts);
  });

/** The members that a schema knows, so that others cost nothing, however many there are. */
function membersOf(value: unknown, keys: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  const members: Record<string, unknown> = {};
  for (const key of keys) {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    if (member !== null && member !== undefined) members[key] = member;
  }
  return members;
}
