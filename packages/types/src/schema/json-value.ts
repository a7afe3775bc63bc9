import * as z from "zod";

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

/** Checks that a value has a JSON form: no functions, dates, cycles or numbers that are not finite. */
export const jsonObjectSchema: z.ZodType<JsonObject> = z.record(z.string(), z.json());
