import { MAX_JSON_DEPTH } from "@tinkex/base";
import { DecodeError } from "../decode-error.js";
import { defineOwn } from "../define-own.js";

/**
 * The most digits of an integer that is given as a bigint. The longest that a record holds has 20; making a bigint of a
 * million digits takes a fifth of a second, of more it fails.
 */
const MAX_DIGITS = 400;

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);
const WORD = /-?[A-Za-z]{1,8}/y;

export interface ExactJsonOptions {
  /** Gives `1.0` as `{ float: 1 }`, as custom-loss graphs tell it from `1`. @defaultValue false */
  readonly marksFloats?: boolean;
}

/** Parses JSON: keeps long integers exact, as bigints, and knows `NaN` and `Infinity`. Faults carry their place. */
export function parseExactJson(text: string, messageType: string, options: ExactJsonOptions = {}): unknown {
  let position = 0;

  const fail = (message: string): DecodeError =>
    new DecodeError(`not JSON: ${message}`, { messageType, field: "", offset: utf8Offset(text, position) });

  const skipSpace = (): void => {
    while (isSpace(text.charCodeAt(position))) position += 1;
  };

  /** Goes behind the digits that stand here and says whether there are any. A pattern could run out of stack on them. */
  const digits = (): boolean => {
    const start = position;
    while (isDigit(text.charCodeAt(position))) position += 1;
    return position > start;
  };

  /** The number that stands here; undefined, and no move, where none does. */
  const number = (): unknown => {
    const start = position;
    take("-");
    if (!take("0") && !digits()) {
      position = start;
      return undefined;
    }
    const integerEnd = position;
    if (!take(".") || !digits()) position = integerEnd;
    const exponentStart = position;
    if (take("e") || take("E")) {
      if (!take("+")) take("-");
      if (!digits()) position = exponentStart;
    }
    return toNumber(text.slice(start, position), position > integerEnd, options.marksFloats === true);
  };

  const value = (depth: number): unknown => {
    if (depth > MAX_JSON_DEPTH) throw fail(`more than ${MAX_JSON_DEPTH} levels`);
    skipSpace();
    const next = text[position];
    if (next === "{") return object(depth);
    if (next === "[") return list(depth);
    if (next === '"') return string();
    const numeric = number();
    if (numeric !== undefined) return numeric;
    WORD.lastIndex = position;
    const word = WORD.exec(text)?.[0];
    if (word !== undefined && words.has(word)) {
      position += word.length;
      return words.get(word);
    }
    throw fail(next === undefined ? "it ends too early" : `unexpected ${JSON.stringify(next)}`);
  };

  const string = (): string => {
    const start = position;
    if (text[start] !== '"') throw fail("a string is missing");
    let end = text.indexOf('"', start + 1);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end === -1) throw fail("a string that does not end");
    position = end + 1;
    try {
      return JSON.parse(text.slice(start, position)) as string;
    } catch {
      position = start;
      throw fail("a string with a bad escape or a control character");
    }
  };

  const list = (depth: number): unknown[] => {
    const items: unknown[] = [];
    position += 1;
    skipSpace();
    if (take("]")) return items;
    do items.push(value(depth + 1));
    while (separator("]"));
    return items;
  };

  const object = (depth: number): Record<string, unknown> => {
    const members: Record<string, unknown> = {};
    position += 1;
    skipSpace();
    if (take("}")) return members;
    do {
      skipSpace();
      const key = string();
      skipSpace();
      if (!take(":")) throw fail('":" is missing');
      defineOwn(members, key, value(depth + 1));
    } while (separator("}"));
    return members;
  };

  const take = (character: string): boolean => {
    if (text[position] !== character) return false;
    position += 1;
    return true;
  };

  /** True for a comma, false for the closing bracket. */
  const separator = (closing: string): boolean => {
    skipSpace();
    if (take(",")) return true;
    if (take(closing)) return false;
    throw fail(`"," or "${closing}" is missing`);
  };

  const parsed = value(0);
  skipSpace();
  if (position < text.length) throw fail("something follows its end");
  return parsed;
}

function toNumber(text: string, isFloat: boolean, marksFloats: boolean): unknown {
  const number = Number(text);
  // A number with a fraction shows that it is a float; 1.0 would not.
  if (isFloat) return marksFloats && Number.isInteger(number) ? { float: number } : number;
  return Number.isSafeInteger(number) || text.length > MAX_DIGITS ? number : BigInt(text);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Tells whether a character is a space, tab, line feed or carriage return. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** Tells whether the character at `position` has an odd number of backslashes before it. */
function isEscaped(text: string, position: number): boolean {
  let start = position;
  while (text[start - 1] === "\\") start -= 1;
  return (position - start) % 2 === 1;
}

/** Gives the offset in bytes of a position in text. */
function utf8Offset(text: string, position: number): number {
  return new TextEncoder().encode(text.slice(0, position)).length;
}
