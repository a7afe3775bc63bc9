import { DecodeError } from "../decode-error.js";
import { DEEPEST, type ExactJsonOptions, parseExactJson } from "./parse-exact-json.js";

const textDecoder = new TextDecoder("utf-8", { fatal: true });

/** An integer of 16 or more digits, which may be beyond 2⁵³. No more digits are looked at: a text may have millions. */
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16}/;

/**
 * Parses a JSON body. Integers beyond 2⁵³ become bigints with all their digits; bare `NaN` and `Infinity`, which some
 * servers write, are accepted.
 *
 * @throws DecodeError, also for nesting that no record has
 */
export function parseJson(body: Uint8Array, messageType: string, options: ExactJsonOptions = {}): unknown {
  const text = decodeText(body, messageType);
  if (options.markFloats === true || LONG_INTEGER.test(text))
    return parseExactJson(text, messageType, options);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The slower parser knows the bare words, and says where the fault is.
    return parseExactJson(text, messageType);
  }
  if (!isDeeper(parsed, DEEPEST)) return parsed;
  throw new DecodeError(`not JSON: more than ${DEEPEST} levels`, { messageType, field: "", offset: -1 });
}

/** Whether lists and objects lie within each other more than `levels` deep: what walks them later may recurse. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels < 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const member of members) if (isDeeper(member, levels - 1)) return true;
  return false;
}

function decodeText(body: Uint8Array, messageType: string): string {
  try {
    return textDecoder.decode(body);
  } catch (cause) {
    throw new DecodeError("not UTF-8 text", { messageType, field: "", offset: 0 }, { cause });
  }
}
