import { calculateNumbers, whole } from "../operations/arithmetic.js";
import { isTrue } from "../operations/operators.js";
import { formatFloat } from "../printing/format-number.js";
import { roundDecimal } from "../printing/round-decimal.js";
import { wholeArgument } from "../values/arguments.js";
import { stripRange } from "../values/python-text.js";
import { bind } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { isText, plain as plainOf } from "../values/text.js";
import { Float, isInteger, numberOf, typeName, Undefined, type Value } from "../values/values.js";
import type { Filter } from "./filters.js";

const WHOLE = /^[+-]?\d+(?:_\d+)*$/;
const FRACTION = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const MAX_DIGITS = 400;

/** The number that `float` reads from a text. */
function readFloat(text: string): number | undefined {
  const { start, end } = stripRange(text, { hasLeft: true, hasRight: true });
  const number = text.slice(start, end);
  if (number.length > MAX_DIGITS) throw unsupported(`a number of more than ${MAX_DIGITS} characters`);
  if (/[^\0-\x7F]/.test(number) && /\p{Nd}/u.test(number)) throw unsupported("a number in other digits");
  if (/^[+-]?(?:inf|infinity)$/i.test(number)) return number.startsWith("-") ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(number)) return Number.NaN;
  return FRACTION.test(number) ? Number(number.replaceAll("_", "")) : undefined;
}

function refuseUndefined(value: Value): void {
  if (value instanceof Undefined) throw new TemplateError(value.message);
}

const float: Filter = (value, given) => {
  const { default: otherwise = new Float(0) } = bind("float", given, ["default"]);
  refuseUndefined(value);
  const number = isText(value) ? readFloat(plainOf(value)) : numberOf(value);
  return number === undefined ? otherwise : new Float(number);
};

const int: Filter = (value, given) => {
  const { default: otherwise = 0, base = 10 } = bind("int", given, ["default", "base"]);
  refuseUndefined(value);
  const number = isText(value) ? readWholeOrFloat(plainOf(value), base) : numberOf(value);
  if (number === undefined || !Number.isFinite(number)) return otherwise;
  return whole(Math.trunc(number));
};

function readWholeOrFloat(text: string, base: Value): number | undefined {
  const { start, end } = stripRange(text, { hasLeft: true, hasRight: true });
  const number = text.slice(start, end);
  const isDecimal = base === 10 && number.length <= MAX_DIGITS && WHOLE.test(number);
  if (isDecimal) return whole(Number(number.replaceAll("_", "")));
  return (isInteger(base) && base !== 10 ? readInBase(number, Number(base)) : undefined) ?? readFloat(text);
}

const PREFIXES: Readonly<Record<string, number>> = { "0x": 16, "0o": 8, "0b": 2 };
const [MIN_BASE, MAX_BASE] = [2, 36];

/** The whole number of a text in another base; base 0 takes it from the prefix. */
function readInBase(text: string, given: number): number | undefined {
  if (given !== 0 && (given < MIN_BASE || given > MAX_BASE)) return undefined;
  const sign = /^[+-]/.test(text) ? text.charAt(0) : "";
  const unsigned = text.slice(sign.length).toLowerCase();
  const prefixed = PREFIXES[unsigned.slice(0, 2)];
  const hasPrefix = prefixed !== undefined && (given === 0 || given === prefixed);
  const base = hasPrefix ? prefixed : given === 0 ? 10 : given;
  const digits = hasPrefix ? unsigned.slice(unsigned.charAt(2) === "_" ? 3 : 2) : unsigned;
  if (given === 0 && !hasPrefix && /^0[0_]*[1-9]/.test(digits)) return undefined;
  let number = 0;
  let isAfterDigit = false;
  for (const digit of digits) {
    const value = digit === "_" ? undefined : DIGITS.indexOf(digit);
    if (value === undefined ? !isAfterDigit : value === -1 || value >= base) return undefined;
    if (value !== undefined) number = whole(number * base + value);
    isAfterDigit = value !== undefined;
  }
  if (!isAfterDigit) return undefined;
  return sign === "-" ? -number : number;
}

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

const abs: Filter = (value, given) => {
  bind("abs", given, []);
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`'abs' needs a number, got a ${typeName(value)}`);
  return isInteger(value) ? Math.abs(number) : new Float(Math.abs(number));
};

/** Beyond this a power of ten is no number with a fraction of its own any more. */
const MAX_PRECISION = 22;

const round: Filter = (value, given) => {
  const { precision, method = "common" } = bind("round", given, ["precision", "method"]);
  const digits = wholeArgument("round", precision, 0);
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`'round' needs a number, got a ${typeName(value)}`);
  const way = isText(method) ? plainOf(method) : "";
  if (way !== "common" && way !== "ceil" && way !== "floor")
    throw new TemplateError("'round' rounds by 'common', 'ceil' or 'floor'");
  if (Math.abs(digits) > MAX_PRECISION) throw unsupported("'round' to this many digits");
  if (way === "common") return roundCommonly(value, number, digits);
  if (!Number.isFinite(number)) throw new TemplateError("'round' needs a finite number");
  const factor = numberOf(calculateNumbers("**", 10, digits)) ?? 1;
  const product = numberOf(calculateNumbers("*", value, digits < 0 ? new Float(factor) : factor)) ?? 0;
  return calculateNumbers("/", whole(way === "ceil" ? Math.ceil(product) : Math.floor(product)), factor);
};

/** Rounds to the nearest, of two as near to the even one. */
function roundCommonly(value: Value, number: number, digits: number): Value {
  if (isInteger(value) && digits >= 0) return number;
  if (!Number.isFinite(number)) return new Float(number);
  const rounded = roundDecimal(Math.abs(number), digits).toString();
  const size = Number(`${rounded}e${-digits}`);
  const signed = number < 0 || Object.is(number, -0) ? -size : size;
  return isInteger(value) ? whole(signed) : new Float(signed);
}

const SIZES = ["k", "M", "G", "T", "P", "E", "Z", "Y"];

const filesizeformat: Filter = (value, given) => {
  const { binary = false } = bind("filesizeformat", given, ["binary"]);
  refuseUndefined(value);
  const bytes = isText(value) ? readFloat(plainOf(value)) : numberOf(value);
  if (bytes === undefined)
    throw new TemplateError(`'filesizeformat' needs a number, got a ${typeName(value)}`);
  const base = isTrue(binary) ? 1024 : 1000;
  if (bytes === 1) return "1 Byte";
  if (bytes < base) {
    if (!Number.isFinite(bytes)) throw new TemplateError("'filesizeformat' needs a finite number");
    return `${BigInt(Math.trunc(bytes))} Bytes`;
  }
  const units = SIZES.map((_, index) => BigInt(base) ** BigInt(index + 2));
  const found = units.findIndex((unit) => bytes < unit);
  const index = found === -1 ? SIZES.length - 1 : found;
  const size = formatFloat((base * bytes) / Number(units[index] ?? 1), { letter: "f", precision: 1 });
  const letter = base === 1024 ? (SIZES[index] ?? "").toUpperCase() : SIZES[index];
  return `${size} ${letter}${base === 1024 ? "i" : ""}B`;
};

/** The filters of jinja2 that take numbers. */
export const NUMBER_FILTERS: readonly (readonly [string, Filter])[] = [
  ["int", int],
  ["float", float],
  ["abs", abs],
  ["round", round],
  ["filesizeformat", filesizeformat],
];
