import { type JsonParts, MAX_JSON_DEPTH, readJsonText } from "@tinkex/base";
import { DecodeError } from "../decode-error.js";

/**
 * The most digits of an integer that is given as a bigint. The longest that a record holds has 20; making a bigint of a
 * million digits takes a fifth of a second, of more it fails.
 */
const MAX_DIGITS = 400;

export interface ExactJsonOptions {
  /** Gives `1.0` as `{ float: 1 }`, as custom-loss graphs tell it from `1`. @defaultValue false */
  readonly marksFloats?: boolean;
}

const PARTS: Omit<JsonParts<unknown>, "fault" | "number"> = {
  string: (text) => text,
  array: (items) => items,
  object: (members) => Object.fromEntries(members),
  words: new Map<string, unknown>([
    ["true", true],
    ["false", false],
    ["null", null],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["-Infinity", Number.NEGATIVE_INFINITY],
  ]),
  maxDepth: MAX_JSON_DEPTH,
};

/** Parses JSON: keeps long integers exact, as bigints, and knows `NaN` and `Infinity`. Faults carry their place. */
export function parseExactJson(text: string, messageType: string, options: ExactJsonOptions = {}): unknown {
  const { marksFloats = false } = options;
  return readJsonText(text, {
    ...PARTS,
    number: (spelling, isInteger) => toNumber(spelling, isInteger, marksFloats),
    fault: (reason, position) =>
      new DecodeError(`not JSON: ${reason}`, { messageType, field: "", offset: utf8Offset(text, position) }),
  });
}

function toNumber(spelling: string, isInteger: boolean, marksFloats: boolean): unknown {
  const number = Number(spelling);
  // A number with a fraction shows that it is a float; 1.0 would not.
  if (!isInteger) return marksFloats && Number.isInteger(number) ? { float: number } : number;
  return Number.isSafeInteger(number) || spelling.length > MAX_DIGITS ? number : BigInt(spelling);
}

/** Gives the offset in bytes of a position in text. */
function utf8Offset(text: string, position: number): number {
  return new TextEncoder().encode(text.slice(0, position)).length;
}
