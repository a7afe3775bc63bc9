import { DecodeError } from "../decode-error.js";
import { setOwn } from "../set-own.js";

/** Deeper nesting than any record has; hostile bodies could otherwise exhaust the stack. */
const DEEPEST = 64;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);
const WORD = /-?[A-Za-z]+/y;

export interface ExactJsonOptions {
  /** Give `1.0` as `{ float: 1 }`, as custom-loss graphs tell it from `1`. @defaultValue false */
  readonly markFloats?: boolean;
}

/** A JSON parser that keeps long integers exact, as bigints, and knows the words NaN and Infinity. Faults carry their place. */
export function parseExactJson(text: string, messageType: string, options: ExactJsonOptions = {}): unknown {
  let position = 0;

  const fail = (message: string): DecodeError =>
    new DecodeError(`not JSON: ${message}`, { messageType, field: "", offset: utf8Offset(text, position) });

  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    const found = pattern.exec(text);
    if (found !== null) position = pattern.lastIndex;
    return found;
  };

  const value = (depth: number): unknown => {
    if (depth > DEEPEST) throw fail(`more than ${DEEPEST} levels`);
    match(SPACE);
    const next = text[position];
    if (next === "{") return object(depth);
    if (next === "[") return list(depth);
    if (next === '"') return string();
    const number = match(NUMBER);
    if (number !== null) return toNumber(number, options.markFloats === true);
    const start = position;
    const word = match(WORD)?.[0];
    if (word !== undefined && words.has(word)) return words.get(word);
    position = start;
    throw fail(next === undefined ? "it ends too early" : `unexpected ${JSON.stringify(next)}`);
  };

  const string = (): string => {
    const start = position;
    if (text[start] !== '"') throw fail("a text is missing");
    let end = text.indexOf('"', start + 1);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end === -1) throw fail("a text that does not end");
    position = end + 1;
    try {
      return JSON.parse(text.slice(start, position)) as string;
    } catch {
      position = start;
      throw fail("a text with a bad escape or a control character");
    }
  };

  const list = (depth: number): unknown[] => {
    const items: unknown[] = [];
    position++;
    match(SPACE);
    if (take("]")) return items;
    do items.push(value(depth + 1));
    while (separator("]"));
    return items;
  };

  const object = (depth: number): Record<string, unknown> => {
    const members: Record<string, unknown> = {};
    position++;
    match(SPACE);
    if (take("}")) return members;
    do {
      match(SPACE);
      const key = string();
      match(SPACE);
      if (!take(":")) throw fail('":" is missing');
      setOwn(members, key, value(depth + 1));
    } while (separator("}"));
    return members;
  };

  const take = (character: string): boolean => {
    if (text[position] !== character) return false;
    position++;
    return true;
  };

  /** True for a comma, false for the closing bracket. */
  const separator = (closing: string): boolean => {
    match(SPACE);
    if (take(",")) return true;
    if (take(closing)) return false;
    throw fail(`"," or "${closing}" is missing`);
  };

  const parsed = value(0);
  match(SPACE);
  if (position < text.length) throw fail("something follows its end");
  return parsed;
}

function toNumber([text, fraction, exponent]: RegExpExecArray, markFloats: boolean): unknown {
  const number = Number(text);
  const isFloat = fraction !== undefined || exponent !== undefined;
  // A number with a fraction shows that it is a float; 1.0 would not.
  if (isFloat) return markFloats && Number.isInteger(number) ? { float: number } : number;
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

/** Whether the character at `position` has an odd number of backslashes before it. */
function isEscaped(text: string, position: number): boolean {
  let start = position;
  while (text[start - 1] === "\\") start--;
  return (position - start) % 2 === 1;
}

/** Offset in bytes of a position in text. */
function utf8Offset(text: string, position: number): number {
  return new TextEncoder().encode(text.slice(0, position)).length;
}
