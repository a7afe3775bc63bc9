import { TemplateError, unsupported } from "./template-error.js";
import { peoplesText, Text, type TextValue } from "./text.js";
import { Dict, Float, NONE, type Value } from "./values.js";

const MAX_DEPTH = 200;
/** From here on JavaScript writes whole numbers with exponents, as Python writes numbers with a fraction. */
const MIN_EXPONENTIAL = 1e21;

/** Makes strings of the values given into those of a template, as whose they are. */
export interface StringMaker {
  readonly text: (value: string) => TextValue;
  /** For names of fields and roles, which are the program's words. */
  readonly name: (value: string) => TextValue;
}

/** Strings as they are, the template's own. */
export const PLAIN_STRINGS: StringMaker = { text: (value) => value, name: (value) => value };

/**
 * Strings that are people's, so that no special token is made of them. Names and roles may be the middle of a token
 * (`<|{{ role }}|>`), so that of these only the characters at which one begins or ends are people's.
 */
export function peoplesStrings(isEdge: (character: string) => boolean): StringMaker {
  return {
    text: peoplesText,
    name(value) {
      const spans: number[] = [];
      let at = 0;
      for (const character of value) {
        if (isEdge(character)) spans.push(at, at + character.length);
        at += character.length;
      }
      return spans.length === 0 ? value : Text.of(value, spans);
    },
  };
}

/** Reads JSON-like values into those of a template, and counts how large they are. */
export class JsonReader {
  /** The characters read, and one more for each value. */
  size = 0;
  /** Values that objects were read into; undefined while one is read, so that one in itself is found. */
  readonly #known = new Map<object, Value | undefined>();

  /**
   * A value as a template has it. Fields that are undefined are left out, as JSON leaves them out.
   * @throws TemplateError for what is no JSON: functions, objects in themselves or too deep.
   */
  read(value: unknown, strings: StringMaker, depth = 0): Value {
    this.size += 1;
    switch (typeof value) {
      case "string":
        this.size += value.length;
        return strings.text(value);
      case "boolean":
        return value;
      case "number":
        return Number.isInteger(value) && Math.abs(value) < MIN_EXPONENTIAL ? value + 0 : new Float(value);
      case "bigint":
        if (!Number.isSafeInteger(Number(value))) throw unsupported("a number beyond 2^53");
        return Number(value);
      case "object":
        return value === null ? NONE : this.#object(value, strings, depth);
      default:
        throw unsupported(`a ${typeof value} among the values`);
    }
  }

  #object(value: object, strings: StringMaker, depth: number): Value {
    if (depth > MAX_DEPTH) throw unsupported(`a value of more than ${MAX_DEPTH} levels`);
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (this.#known.has(value)) throw unsupported("a value within itself");
    this.#known.set(value, undefined);
    const made = Array.isArray(value)
      ? value.map((item: unknown) => this.read(item ?? null, strings, depth + 1))
      : this.#dict(value, strings, depth);
    this.#known.set(value, made);
    return made;
  }

  #dict(value: object, strings: StringMaker, depth: number): Dict {
    const entries: Iterable<readonly [unknown, unknown]> = value instanceof Map ? value : entriesOf(value);
    const pairs: [Value, Value][] = [];
    for (const [key, item] of entries) {
      if (item === undefined) continue;
      const name = typeof key === "string" ? strings.name(key) : this.read(key, strings, depth + 1);
      this.size += typeof key === "string" ? key.length : 0;
      const isRole = key === "role" && typeof item === "string";
      pairs.push([name, isRole ? strings.name(item) : this.read(item, strings, depth + 1)]);
    }
    return new Dict(pairs);
  }
}

/** The fields of an object. JavaScript puts those with numbers for names first, whatever their order was. */
function entriesOf(value: object): [string, unknown][] {
  const entries = Object.entries(value);
  const [first] = entries;
  if (first !== undefined && entries.length > 1 && /^(?:0|[1-9]\d{0,9})$/.test(first[0])) {
    throw new TemplateError(
      `an object whose field '${first[0]}' is named by a number does not keep its order; pass a Map in its place`,
    );
  }
  return entries;
}
