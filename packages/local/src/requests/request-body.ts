import * as z from "zod";
import { RequestRefusal } from "../state/request-refusal.js";

/**
 * A body as clients of every generation send it: unknown fields are ignored, `null` means absent, `type` need not be
 * there. Only what a request must have to be understood is required; values are checked where they are used, so that a
 * wrong one fails its own operation and not the order of those behind it.
 */
export function requestBody<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(withoutNulls, z.object(shape));
}

/**
 * A body, or the query of a URL, read by `schema`.
 *
 * @throws RequestRefusal 422 that names each field at fault
 */
export function readBody<T>(schema: z.ZodType<T>, body: unknown, place: "body" | "query" = "body"): T {
  const outcome = schema.safeParse(body ?? {});
  if (outcome.success) return outcome.data;
  throw new RequestRefusal(
    422,
    outcome.error.issues.map(({ code, path, message }) => ({
      type: code ?? "custom",
      loc: [place, ...path.map((step) => (typeof step === "symbol" ? String(step) : step))],
      msg: message,
    })),
  );
}

/** A sequence id: a whole number from 0. */
export const sequenceId = z.int().min(0);

/** A seed, or the number of a sample request: any whole number of 64 bits, beyond 2⁵³ as a bigint. */
export const wideInteger = z.union([z.int(), z.bigint()]);

/** What users attach to sessions, runs and checkpoints. Only texts can be given back as they came. */
export const userMetadata = z.record(z.string(), z.unknown()).transform((given) =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  ),
);

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null));
}
