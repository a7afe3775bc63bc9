import { compareTexts } from "../values/python-text.js";
import type { Run } from "../values/run.js";
import { TemplateError } from "../values/template-error.js";
import { concatTexts, isText, mapText, plain, type TextValue } from "../values/text.js";
import {
  BigWhole,
  Dict,
  Float,
  isList,
  Markup,
  NONE,
  numberOf,
  Tuple,
  typeName,
  type Value,
} from "../values/values.js";
import { printFloat } from "./print-float.js";

/** The arguments of Python's `json.dumps` that transformers' `tojson` passes on. */
export interface JsonOptions {
  readonly isAscii: boolean;
  /** The text that a level is indented by; undefined for one line. */
  readonly indent: string | undefined;
  readonly itemSeparator: TextValue;
  readonly keySeparator: TextValue;
  readonly sortsKeys: boolean;
}

const MAX_DEPTH = 200;

/** A value as JSON, as transformers' `tojson` writes it: `json.dumps(value, ensure_ascii=False)` and more. */
export function toJson(value: Value, options: JsonOptions, run: Run): TextValue {
  const parts: TextValue[] = [];
  const write = (part: TextValue) => {
    run.budget.allocate(16 + 2 * plain(part).length, "tojson");
    run.budget.spend(2 + plain(part).length / 4, "tojson");
    parts.push(part);
  };
  new JsonWriter(options, write).value(value, 0);
  return concatTexts(parts);
}

class JsonWriter {
  readonly #options: JsonOptions;
  readonly #write: (part: TextValue) => void;

  constructor(options: JsonOptions, write: (part: TextValue) => void) {
    this.#options = options;
    this.#write = write;
  }

  value(value: Value, depth: number): void {
    if (depth > MAX_DEPTH) throw new TemplateError("a value for tojson is too deep");
    const text = scalarText(value);
    if (text !== undefined) this.#write(text);
    else if (isText(value)) this.#string(value);
    else if (value instanceof Markup) this.#string(value.text);
    else if (isList(value)) this.#list(value, depth);
    else if (value instanceof Tuple) this.#list(value.items, depth);
    else if (value instanceof Dict) this.#dict(value, depth);
    else throw new TemplateError(`a ${typeName(value)} cannot be written as JSON`);
  }

  #list(items: readonly Value[], depth: number): void {
    this.#group("[", items, "]", depth, (item) => this.value(item, depth + 1));
  }

  #dict(dict: Dict, depth: number): void {
    const { sortsKeys } = this.#options;
    const entries = [...(sortsKeys ? dict.entriesInAnyOrder() : dict.entries())];
    if (sortsKeys) entries.sort(([left], [right]) => compareKeys(left, right));
    this.#group("{", entries, "}", depth, ([key, value]) => {
      this.#string(keyText(key));
      this.#write(this.#options.keySeparator);
      this.value(value, depth + 1);
    });
  }

  #group<T>(
    opening: string,
    items: readonly T[],
    closing: string,
    depth: number,
    write: (item: T) => void,
  ): void {
    const { indent, itemSeparator } = this.#options;
    this.#write(opening);
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#write(itemSeparator);
      if (indent !== undefined) this.#write(`\n${indent.repeat(depth + 1)}`);
      write(item);
    }
    if (indent !== undefined && items.length > 0) this.#write(`\n${indent.repeat(depth)}`);
    this.#write(closing);
  }

  #string(text: TextValue): void {
    const escaped = mapText(text, (piece) => (this.#options.isAscii ? asciiPiece(piece) : jsonPiece(piece)));
    this.#write('"');
    this.#write(escaped);
    this.#write('"');
  }
}

function scalarText(value: Value): string | undefined {
  if (value === NONE) return "null";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number") return String(value);
  if (value instanceof BigWhole) return String(value.value);
  if (!(value instanceof Float)) return undefined;
  return (
    { nan: "NaN", inf: "Infinity", "-inf": "-Infinity" }[printFloat(value.value)] ?? printFloat(value.value)
  );
}

function keyText(key: Value): TextValue {
  if (isText(key)) return key;
  const text = scalarText(key);
  if (text === undefined) throw new TemplateError(`a ${typeName(key)} is no key of a JSON object`);
  return text;
}

function compareKeys(left: Value, right: Value): number {
  if (isText(left) && isText(right)) return compareTexts(plain(left), plain(right));
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a === undefined || b === undefined) throw new TemplateError("keys of different types cannot be sorted");
  return a - b;
}

function jsonPiece(piece: string): string {
  // JSON.stringify escapes halves of pairs, which Python leaves; a text has none as a rule.
  return /[\uD800-\uDFFF]/.test(piece) && !isWellFormed(piece)
    ? piece.replace(/[\\"\p{Cc}]/gu, (character) => JSON.stringify(character).slice(1, -1))
    : JSON.stringify(piece).slice(1, -1);
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

function asciiPiece(piece: string): string {
  return jsonPiece(piece).replace(
    /[\u007F-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
