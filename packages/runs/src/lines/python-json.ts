import { MAX_JSON_DEPTH, readJsonText, ValidationError } from "@tinkex/base";

/** A value as JSON has it; numbers may be NaN and infinite, which Python's files hold. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object of a run's files. A field that is undefined is left out. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

/**
 * Reads JSON as Python's module `json` writes it: NaN and infinities stand bare, where JSON proper has no word for them. A byte order mark
 * before it is passed over.
 *
 * @throws Error when it is no JSON
 */
export function readPythonJson(marked: string): unknown {
  const text = withoutMark(marked);
  try {
    return JSON.parse(text);
  } catch {
    return readJsonText<Json>(text, {
      string: (string) => string,
      number: Number,
      array: (items) => items,
      object: (members) => Object.fromEntries(members),
      words: WORDS,
      maxDepth: MAX_JSON_DEPTH,
      fault: (reason, position) => new ValidationError(`JSON: ${reason} at character ${position}`),
    });
  }
}

/** Takes a byte order mark away, which some editors put before the text of a file. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/**
 * Writes JSON as Python's module `json` does, NaN and infinities bare: `JSON.stringify` would make null of a loss that is no number.
 *
 * @param indent - spaces of each level; 0 writes one line
 * @throws ValidationError for a value that JSON cannot hold, with its place
 */
export function writePythonJson(value: unknown, indent = 0, place = "value", level = 0): string {
  if (level > MAX_JSON_DEPTH) {
    throw new ValidationError(`${place} must not nest deeper than ${MAX_JSON_DEPTH} levels`);
  }
  const write = (part: unknown, at: string): string => writePythonJson(part, indent, at, level + 1);
  if (value === null || typeof value === "boolean" || typeof value === "number") return String(value);
  if (typeof value === "string") return asciiString(value);
  if (Array.isArray(value)) {
    return bracketed(
      "[",
      value.map((item, index) => write(item, `${place}[${index}]`)),
      "]",
      indent,
      level,
    );
  }
  if (typeof value === "object") {
    const members = Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [`${asciiString(key)}: ${write(member, `${place}.${key}`)}`],
    );
    return bracketed("{", members, "}", indent, level);
  }
  throw new ValidationError(`${place} must be a value of JSON, got a ${typeof value}`);
}

const NOT_ASCII = /[\u0080-\uffff]/g;

/** A string with every letter beyond ASCII escaped, as Python writes it: its readers end a line at U+2028 and U+0085 too. */
function asciiString(text: string): string {
  return JSON.stringify(text).replace(
    NOT_ASCII,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function bracketed(open: string, parts: readonly string[], close: string, indent: number, level: number) {
  if (indent === 0 || parts.length === 0) return `${open}${parts.join(", ")}${close}`;
  const outer = " ".repeat(indent * level);
  const inner = outer + " ".repeat(indent);
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${outer}${close}`;
}
