import { describeValue, ValidationError } from "@tinkex/base";
import { JsonNumber, MAX_JSON_DEPTH } from "./json-value.js";

export interface WriteJsonOptions {
  /** Writes characters outside ASCII as `\u` escapes. @defaultValue false */
  readonly asciiOnly?: boolean;
  /** Without spaces behind commas and colons. @defaultValue false */
  readonly compact?: boolean;
  /** Keys in the order of their code points. @defaultValue false */
  readonly sortKeys?: boolean;
  /** Rewrites a number from the text that Python gives it. @defaultValue it stays */
  readonly numbers?: (text: string) => string;
}

/**
 * Writes JSON as Python's `json.dumps` does, which is what models were trained on: `{"a": [1, 2.0]}`.
 *
 * @throws ValidationError for a value that JSON has no form for, or one that holds itself
 */
export function writeJson(value: unknown, options: WriteJsonOptions = {}): string {
  const [comma, colon] = options.compact === true ? [",", ":"] : [", ", ": "];
  const write = (item: unknown, depth = 0): string => {
    if (depth > MAX_JSON_DEPTH) {
      throw new ValidationError(
        `JSON of more than ${MAX_JSON_DEPTH} levels is not written; does a value hold itself?`,
      );
    }
    if (typeof item === "string") return quote(item, options.asciiOnly ?? false);
    if (Array.isArray(item)) return `[${item.map((element) => write(element, depth + 1)).join(comma)}]`;
    const entries = jsonEntries(item);
    if (entries === undefined) {
      const text = scalarText(item);
      return options.numbers === undefined || !isNumber(item) ? text : options.numbers(text);
    }
    const sorted = options.sortKeys === true ? entries.toSorted(([a], [b]) => comparePoints(a, b)) : entries;
    return `{${sorted.map(([key, field]) => `${write(key)}${colon}${write(field, depth + 1)}`).join(comma)}}`;
  };
  return write(value);
}

/** The fields of an object, in order; undefined for what is none. Fields that are undefined are not there. */
export function jsonEntries(value: unknown): [string, unknown][] | undefined {
  if (value instanceof Map) return [...value];
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof JsonNumber) {
    return undefined;
  }
  return Object.entries(value).filter(([, field]) => field !== undefined);
}

/** A value as Python's `str` shows it: text as it is, `True`, `None`, numbers; lists and objects as ASCII JSON. */
export function pythonText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return writeJson(value, { asciiOnly: true });
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || value instanceof JsonNumber;
}

function scalarText(value: unknown): string {
  if (value instanceof JsonNumber) return numberText(value.text);
  if (typeof value === "number") {
    return Number.isInteger(value) && Math.abs(value) < 1e16 ? String(value) : floatText(value);
  }
  if (value === null || typeof value === "boolean") return String(value);
  throw new ValidationError(
    `a value must be JSON (text, number, boolean, null, list or object), got ${describeValue(value)}`,
  );
}

/** A number of JSON text as Python prints it after reading: whole ones keep all digits. */
function numberText(text: string): string {
  if (/^-?[0-9]+$/.test(text)) return text === "-0" ? "0" : text;
  const value = Number(text);
  return Number.isFinite(value) ? floatText(value) : text;
}

/** The shortest digits that give the number back, with an exponent below 1e-4 and from 1e16 on, as Python's `repr`. */
function floatText(value: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const [mantissa = "", power = ""] = Math.abs(value).toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) {
    const digits = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
  }
  const digits = mantissa.replace(".", "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const padded = digits.padEnd(exponent + 2, "0");
  return `${sign}${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1)}`;
}

function quote(text: string, isAsciiOnly: boolean): string {
  const quoted = JSON.stringify(text);
  if (!isAsciiOnly) return quoted;
  return quoted.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Orders texts by their code points, as Python and Rust do. */
export function comparePoints(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const differing = left.findIndex((point, index) => point !== right[index]);
  if (differing < 0) return left.length - right.length;
  return (left[differing]?.codePointAt(0) ?? 0) - (right[differing]?.codePointAt(0) ?? -1);
}
