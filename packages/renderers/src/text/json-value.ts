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

const TOKEN =
  /[ \t\n\r]*([[\]{}:,]|"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)/y;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Reads JSON text; undefined when it is none. */
export function readJson(text: string): JsonValue | undefined {
  try {
    return new JsonReader(text).readAll();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

class JsonReader {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): JsonValue {
    const value = this.#value(this.#next(), 0);
    if (/[^ \t\n\r]/.test(this.#text.slice(this.#position))) throw new SyntaxError("text behind the value");
    return value;
  }

  #next(): string {
    TOKEN.lastIndex = this.#position;
    const token = TOKEN.exec(this.#text)?.[1];
    if (token === undefined) throw new SyntaxError("no token");
    this.#position = TOKEN.lastIndex;
    return token;
  }

  #value(token: string, depth: number): JsonValue {
    if (depth > MAX_JSON_DEPTH) throw new SyntaxError("nested too deeply");
    if (token === "{") return this.#object(depth);
    if (token === "[") return this.#list(depth);
    if (token.startsWith('"')) return readString(token);
    const word = WORDS.get(token);
    if (word !== undefined) return word;
    if (/^[-0-9]/.test(token)) return new JsonNumber(token);
    throw new SyntaxError("no value");
  }

  #object(depth: number): JsonValue {
    const fields = new Map<string, JsonValue>();
    let token = this.#next();
    if (token === "}") return fields;
    for (;;) {
      if (!token.startsWith('"')) throw new SyntaxError("no key");
      const key = readString(token);
      if (this.#next() !== ":") throw new SyntaxError("no colon");
      fields.set(key, this.#value(this.#next(), depth + 1));
      if (this.#goesOn("}")) token = this.#next();
      else return fields;
    }
  }

  #list(depth: number): JsonValue {
    const items: JsonValue[] = [];
    let token = this.#next();
    if (token === "]") return items;
    for (;;) {
      items.push(this.#value(token, depth + 1));
      if (this.#goesOn("]")) token = this.#next();
      else return items;
    }
  }

  #goesOn(end: string): boolean {
    const token = this.#next();
    if (token !== "," && token !== end) throw new SyntaxError("no comma");
    return token === ",";
  }
}

function readString(token: string): string {
  return JSON.parse(token) as string; // throws a SyntaxError at bad escapes and bare control characters
}
