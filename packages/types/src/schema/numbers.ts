import * as z from "zod";
import { typedInput } from "./objects.js";

const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;
/** Said for every fault: that a number is too large for itself says nothing of the bigint that would do. */
const INT64 = "must be an integer: a number up to 2^53, or a bigint up to 64 bits";

/**
 * A counter or seed that may pass 2⁵³: a safe integer as `number`, anything up to 64 bits as `bigint`. Other numbers are
 * refused, since they have already lost digits.
 */
export const int64Schema = z.union(
  [z.int(INT64), z.bigint(INT64).gte(INT64_MIN, INT64).lte(UINT64_MAX, INT64)],
  INT64,
);

/** A count: 0, 1, 2, … */
export const countSchema = z.int().nonnegative();

/** A number as services write it: NaN and infinities come as text, NaN also as null (its usual JSON spelling). */
export const receivedNumberSchema: z.ZodType<number, number> = typedInput(
  z.preprocess(readNumber, z.custom<number>(isNumber, "must be a number")),
);

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ["nan", Number.NaN],
  ["inf", Number.POSITIVE_INFINITY],
  ["infinity", Number.POSITIVE_INFINITY],
  ["+infinity", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["-infinity", Number.NEGATIVE_INFINITY],
]);

/** Reads `value` as a number if it is one of the spellings above, a numeric string, or a boolean; else `value` unchanged. */
export function readNumber(value: unknown): unknown {
  if (value === null) return Number.NaN;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string") return value;
  const word = NUMBER_WORDS.get(value.trim().toLowerCase());
  if (word !== undefined) return word;
  const parsed = value.trim() === "" ? Number.NaN : Number(value);
  return Number.isNaN(parsed) ? value : parsed;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
