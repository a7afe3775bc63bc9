import { DecodeError } from "../decode-error.js";
import { type ExactJsonOptions, parseExactJson } from "./parse-exact-json.js";

const textDecoder = new TextDecoder("utf-8", { fatal: true });

/** An integer that may be beyond 2⁵³: 16 or more digits with neither fraction nor exponent beside them. */
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/;

/**
 * Parses a JSON body. Integers beyond 2⁵³ become bigints with all their digits; bare `NaN` and `Infinity`, which some
 * servers write, are accepted.
 *
 * @throws DecodeError
 */
export function parseJson(body: Uint8Array, messageType: string, options: ExactJsonOptions = {}): unknown {
  const text = decodeText(body, messageType);
  if (options.markFloats === true || LONG_INTEGER.test(text))
    return parseExactJson(text, messageType, options);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The slower parser knows the bare words, and says where the fault is.
    return parseExactJson(text, messageType);
  }
}

function decodeText(body: Uint8Array, messageType: string): string {
  try {
    return textDecoder.decode(body);
  } catch (cause) {
    throw new DecodeError("not UTF-8 text", { messageType, field: "", offset: 0 }, { cause });
  }
}
