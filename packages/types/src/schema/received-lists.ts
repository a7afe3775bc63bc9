import * as z from "zod";
import { readNumber } from "./numbers.js";

/**
 * Reads log-probabilities from JSON. They are float32 wherever they are computed, so they are rounded to float32 here: the same
 * result then reads the same from JSON and from protobuf. Null reads as NaN.
 */
export function readFloat32List() {
  return listOf((value) => {
    const number = readNumber(value);
    return typeof number === "number" ? Math.fround(number) : undefined;
  }, "must be a list of numbers").meta({ type: "array", items: { type: "number" } });
}

/** Reads log-probabilities of a list in which null means "not computed"; NaN means that too. */
export function readNullableFloat32List() {
  return listOf((value) => {
    if (value === null) return null;
    const number = readNumber(value);
    if (typeof number !== "number") return undefined;
    return Number.isNaN(number) ? null : Math.fround(number);
  }, "must be a list of numbers and nulls").meta({ type: "array", items: { type: ["number", "null"] } });
}

/** Reads null or `[token, logprob]` pairs for each position. What stands behind the two in a pair is ignored. */
export function readTopkList() {
  return listOf(readTopkRow, "must be a list of [token, logprob] lists and nulls").meta({ type: "array" });
}

function readTopkRow(row: unknown): readonly (readonly [number, number])[] | null | undefined {
  if (row === null) return null;
  if (!Array.isArray(row)) return undefined;
  const pairs: (readonly [number, number])[] = [];
  for (const pair of row) {
    const token: unknown = Array.isArray(pair) ? pair[0] : undefined;
    const logprob = Array.isArray(pair) ? readNumber(pair[1]) : undefined;
    if (typeof token !== "number" || !Number.isSafeInteger(token) || typeof logprob !== "number")
      return undefined;
    pairs.push([token, Math.fround(logprob)]);
  }
  return pairs;
}

/** Reads a list in one pass; the first element that `read` answers with undefined is named in the error. */
function listOf<Item>(read: (value: unknown) => Item | undefined, expected: string) {
  return z.custom<readonly unknown[]>(Array.isArray, expected).transform((list, context): readonly Item[] => {
    const items: Item[] = [];
    for (let index = 0; index < list.length; index += 1) {
      const item = read(list[index]);
      if (item === undefined) {
        context.issues.push({ code: "custom", message: expected, input: list[index], path: [index] });
        return z.NEVER;
      }
      items.push(item);
    }
    return items;
  });
}
