import { jsonTextFault } from "@tinkex/base";
import { DecodeError } from "../decode-error.js";
import { type ExactJsonOptions, parseExactJson } from "./parse-exact-json.js";

const textDecoder = new TextDecoder("utf-8", { fatal: true });

/** An integer of 16 or more digits, which may be beyond 2⁵³. No more digits are looked at: a text may have millions. */
const LONG_INTEGER = /(?<![\d.eE+-])-?\d{16}/;

/** Longest text that is parsed, in characters: parsing takes about a second for it, during which nothing else happens. */
const MAX_LENGTH = 128 * 1024 * 1024;

/**
 * Parses a JSON body. Integers beyond 2⁵³ become bigints with all their digits; bare `NaN` and `Infinity`, which some
 * servers write, are accepted.
 *
 * @throws DecodeError, also for nesting that no record has, and for text that would take many times its memory
 */
export function parseJson(body: Uint8Array, messageType: string, options: ExactJsonOptions = {}): unknown {
  const refuse = (fault: string): DecodeError =>
    new DecodeError(fault, { messageType, field: "", offset: -1 });
  if (body.byteLength > MAX_LENGTH)
    throw refuse(`${body.byteLength} bytes of JSON, of at most ${MAX_LENGTH}`);
  const text = decodeText(body, messageType);
  const fault = jsonTextFault(text);
  if (fault !== undefined) throw refuse(`not JSON: ${fault}`);
  if (options.markFloats === true || LONG_INTEGER.test(text))
    return parseExactJson(text, messageType, options);
  try {
    return JSON.parse(text);
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
