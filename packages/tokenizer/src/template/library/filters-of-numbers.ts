import { whole } from "../operations/operators.js";
import { wholeArgument } from "../operations/string-methods.js";
import { stripRange } from "../values/python-text.js";
import { bind } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { isText, plain as plainOf } from "../values/text.js";
import { Float, isInteger, numberOf, typeName, type Value } from "../values/values.js";
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

const float: Filter = (value, given) => {
  const { default: otherwise = new Float(0) } = bind("float", given, ["default"]);
  if (isText(value)) {
    const number = readFloat(plainOf(value));
    return number === undefined ? otherwise : new Float(number);
  }
  const number = numberOf(value);
  return number === undefined ? otherwise : new Float(number);
};

const int: Filter = (value, given) => {
  const { default: otherwise = 0, base } = bind("int", given, ["default", "base"]);
  if (wholeArgument("int", base, 10) !== 10) throw unsupported("'int' in another base");
  const number = isText(value) ? readWholeOrFloat(plainOf(value)) : numberOf(value);
  if (number === undefined || !Number.isFinite(number)) return otherwise;
  return whole(Math.trunc(number));
};

function readWholeOrFloat(text: string): number | undefined {
  const { start, end } = stripRange(text, { hasLeft: true, hasRight: true });
  const number = text.slice(start, end);
  if (number.length <= MAX_DIGITS && WHOLE.test(number)) return whole(Number(number.replaceAll("_", "")));
  return readFloat(text);
}

const abs: Filter = (value, given) => {
  bind("abs", given, []);
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`'abs' needs a number, got a ${typeName(value)}`);
  return isInteger(value) ? Math.abs(number) : new Float(Math.abs(number));
};

const round: Filter = (value, given) => {
  const { precision, method = "common" } = bind("round", given, ["precision", "method"]);
  const digits = wholeArgument("round", precision, 0);
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`'round' needs a number, got a ${typeName(value)}`);
  const way = isText(method) ? plainOf(method) : "";
  if (way === "common") return roundCommonly(value, number, digits);
  if (way !== "ceil" && way !== "floor")
    throw new TemplateError("'round' rounds by 'common', 'ceil' or 'floor'");
  const factor = 10 ** digits;
  return new Float((way === "ceil" ? Math.ceil(number * factor) : Math.floor(number * factor)) / factor);
};

/** Rounds to the nearest, of two as near to the even one. */
function roundCommonly(value: Value, number: number, digits: number): Value {
  if (isInteger(value)) {
    if (digits < 0) throw unsupported("'round' of a whole number to tens");
    return number;
  }
  if (digits < 0 || digits > 15) throw unsupported("'round' to this many digits");
  const text = Math.abs(number).toFixed(digits);
  const exact = Math.abs(number).toFixed(Math.min(100, digits + 40));
  const rest = exact.slice(exact.indexOf(".") + 1 + digits);
  const isTie = /^50*$/.test(rest);
  const rounded = Number(
    isTie && "13579".includes(text.charAt(text.length - 1))
      ? exact.slice(0, exact.length - rest.length)
      : text,
  );
  return new Float(number < 0 ? -rounded : rounded);
}

/** The filters of jinja2 that take numbers. */
export const NUMBER_FILTERS: readonly (readonly [string, Filter])[] = [
  ["int", int],
  ["float", float],
  ["abs", abs],
  ["round", round],
];
