import { type JsonParts, readJsonText } from "@tinkex/base";

/**
 * JSON as it was written: objects keep the order of their keys, also of keys such as "1", and numbers keep their spelling, which
 * `JSON.parse` loses (`1.0`, `12345678901234567890`). Models see the text, so it has to survive.
 */
export type JsonValue =
  | null
  | boolean
  | string
  | JsonNumber
  | readonly JsonValue[]
  | ReadonlyMap<string, JsonValue>;

/** A number by its text in JSON. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Deeper than any call of a tool, and far from the depth at which recursion overflows. */
export const MAX_JSON_DEPTH = 200;

const PARTS: JsonParts<JsonValue> = {
  string: (text) => text,
  number: (spelling) => new JsonNumber(spelling),
  array: (items) => items,
  object: (members) => members,
  words: new Map<string, JsonValue>([
    ["true", true],
    ["false", false],
    ["null", null],
  ]),
  maxDepth: MAX_JSON_DEPTH,
  fault: (reason) => new SyntaxError(reason),
};

/**
 * Reads JSON text; undefined when it is none.
 * @param number - makes a number of its spelling; a SyntaxError refuses it. @defaultValue the spelling is kept
 */
export function readJson(text: string, number = PARTS.number): JsonValue | undefined {
  try {
    return readJsonText(text, { ...PARTS, number });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
