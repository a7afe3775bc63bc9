import { describeValue } from "@tinkex/base";
import { TemplateError } from "./template-error.js";
import { isText, peoplesText, plain, Text, type TextValue } from "./text.js";
import { BigWhole, Dict, Float, NONE, type Value } from "./values.js";

const MAX_DEPTH = 200;
/** From here on JavaScript writes whole numbers with exponents, so that Python reads them as floats. */
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
  /** Names and places of the values around the one that is read, for errors. */
  readonly #path: unknown[] = [];

  /**
   * Reads the value of a variable as a template has it. Fields that are undefined are left out, as JSON leaves them out.
   * @throws TemplateError with the place, for what is no JSON: functions, objects in themselves or too deep; and for whole numbers
   * that may have been rounded.
   */
  read(value: unknown, strings: StringMaker, name: string): Value {
    return this.#within(name, () => this.#value(value, strings));
  }

  #within<T>(step: unknown, read: () => T): T {
    this.#path.push(step);
    const made = read();
    this.#path.pop();
    return made;
  }

  #value(value: unknown, strings: StringMaker): Value {
    this.size += 1;
    switch (typeof value) {
      case "string":
        this.size += value.length;
        return strings.text(value);
      case "boolean":
        return value;
      case "number":
        return this.#number(value);
      case "bigint":
        this.size += value.toString(16).length;
        return Number.isSafeInteger(Number(value)) ? Number(value) : new BigWhole(value);
      case "object":
        return value === null ? NONE : this.#object(value, strings);
      default:
        throw this.#refusal(`a ${typeof value} among the values is not supported here`);
    }
  }

  /** A number; of a whole one beyond 2^53 nobody can tell which digits it had as text, as `JSON.parse` rounds it. */
  #number(value: number): number | Float {
    if (!Number.isInteger(value) || Math.abs(value) >= MIN_EXPONENTIAL) return new Float(value);
    if (Number.isSafeInteger(value)) return value + 0;
    throw this.#refusal(
      `a whole number beyond 2^53 must be a bigint, or a PythonFloat where it is a float, got ${value}; JSON.parse rounds it`,
    );
  }

  #object(value: object, strings: StringMaker): Value {
    if (value instanceof Float) return value;
    // The name of the variable is no level of its value.
    if (this.#path.length > MAX_DEPTH + 1)
      throw this.#refusal(`a value of more than ${MAX_DEPTH} levels is not supported here`);
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (this.#known.has(value)) throw this.#refusal("a value within itself is not supported here");
    this.#known.set(value, undefined);
    const made = Array.isArray(value)
      ? value.map((item: unknown, index) => this.#within(index, () => this.#value(item ?? null, strings)))
      : this.#dict(value, strings);
    this.#known.set(value, made);
    return made;
  }

  #dict(value: object, strings: StringMaker): Dict {
    const entries: Iterable<readonly [unknown, unknown]> =
      value instanceof Map ? value : Object.entries(value);
    const pairs: [Value, Value][] = [];
    for (const [key, item] of entries) {
      if (item === undefined) continue;
      this.size += typeof key === "string" ? key.length : 0;
      pairs.push(
        this.#within(key, () => {
          const name = typeof key === "string" ? strings.name(key) : this.#value(key, strings);
          const isRole = key === "role" && typeof item === "string";
          return [name, isRole ? strings.name(item) : this.#value(item, strings)];
        }),
      );
    }
    return new Dict(pairs, value instanceof Map ? undefined : this.#lostOrder(pairs));
  }

  /** Says which field of an object has lost its place, where one has. JavaScript puts those that numbers name first. */
  #lostOrder([first, second]: readonly (readonly [Value, Value])[]): string | undefined {
    if (first === undefined || second === undefined || !isText(first[0])) return undefined;
    const name = plain(first[0]);
    if (!isNumericName(name)) return undefined;
    return `${this.#place()}: an object whose field '${name}' is named by a number does not keep its order; read the chat with parseChat, or pass a Map in its place`;
  }

  /** An error that begins with the place: `messages[1].tool_calls[0].id: …`. */
  #refusal(message: string): TemplateError {
    return new TemplateError(`${this.#place()}: ${message}`);
  }

  #place(): string {
    const [name, ...steps] = this.#path;
    const shown = steps.slice(0, MAX_SHOWN_STEPS).map(stepText).join("");
    return `${String(name)}${shown}${steps.length > MAX_SHOWN_STEPS ? "…" : ""}`;
  }
}

/**
 * Tells whether a field's name is that of an array's element. JavaScript puts fields of such names first in an object, in the order
 * of their numbers, whatever order they were made in.
 */
export function isNumericName(name: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(name);
}

const MAX_SHOWN_STEPS = 20;

function stepText(step: unknown): string {
  if (typeof step === "number") return `[${step}]`;
  return typeof step === "string" && /^[A-Za-z_]\w{0,60}$/.test(step)
    ? `.${step}`
    : `[${describeValue(step)}]`;
}
