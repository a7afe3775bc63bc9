import { characterCount } from "../values/python-text.js";
import { unsupported } from "../values/template-error.js";
import { concatTexts, plain, sliceText, type TextValue } from "../values/text.js";
import { roundDecimal } from "./round-decimal.js";

/** A whole number from 0 on, in the base of a format's letter and with at least so many digits. */
export function formatWhole(value: number, letter: string, isPrefixed: boolean, minDigits = 1): string {
  const base = { x: 16, X: 16, o: 8, b: 2 }[letter] ?? 10;
  const digits = BigInt(value).toString(base).padStart(minDigits, "0");
  const prefix = isPrefixed && base !== 10 ? `0${letter}` : "";
  return prefix + (letter === "X" ? digits.toUpperCase() : digits);
}

const MAX_DIGITS = 100;

/** Says how the letters f, e and g of a format write a number. */
export interface FloatForm {
  readonly letter: string;
  readonly precision: number;
  /** Keeps the point and the zeros behind it, as the flag `#` does. */
  readonly isAlternate?: boolean;
  /** Has a digit behind the point always, as a precision without a letter does. */
  readonly hasFraction?: boolean;
}

/** A number from 0 on with a fraction, as the letters f, e and g of a format write it. */
export function formatFloat(value: number, form: FloatForm): string {
  const { letter, precision, isAlternate = false } = form;
  if (precision > MAX_DIGITS) throw unsupported(`a format of more than ${MAX_DIGITS} digits`);
  const isUpper = letter === letter.toUpperCase();
  if (!Number.isFinite(value)) {
    const name = Number.isNaN(value) ? "nan" : "inf";
    return isUpper ? name.toUpperCase() : name;
  }
  const lower = letter.toLowerCase();
  const text =
    lower === "f"
      ? fixed(value, precision, isAlternate)
      : lower === "e"
        ? exponential(value, precision, isAlternate)
        : general(value, form);
  return isUpper ? text.toUpperCase() : text;
}

function withPoint(digits: string, fractionDigits: number, isAlternate: boolean): string {
  if (fractionDigits === 0) return isAlternate ? `${digits}.` : digits;
  const padded = digits.padStart(fractionDigits + 1, "0");
  return `${padded.slice(0, -fractionDigits)}.${padded.slice(-fractionDigits)}`;
}

function fixed(value: number, precision: number, isAlternate: boolean): string {
  return withPoint(roundDecimal(value, precision).toString(), precision, isAlternate);
}

/** The digits of a number, one before the point, and its power of ten. */
function scientific(value: number, precision: number): { readonly digits: string; readonly power: number } {
  if (value === 0) return { digits: "0".repeat(precision + 1), power: 0 };
  let power = Number(value.toExponential().split("e")[1]);
  for (;;) {
    const digits = roundDecimal(value, precision - power).toString();
    if (digits.length === precision + 1) return { digits, power };
    power += digits.length > precision + 1 ? 1 : -1;
  }
}

function exponential(value: number, precision: number, isAlternate: boolean): string {
  const { digits, power } = scientific(value, precision);
  return withPoint(digits, precision, isAlternate) + exponentText(power);
}

function exponentText(power: number): string {
  return `e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

function general(
  value: number,
  { precision: wanted, isAlternate = false, hasFraction = false }: FloatForm,
): string {
  const precision = Math.max(1, wanted);
  const { digits, power } = scientific(value, precision - 1);
  const isExponential = power < MIN_GENERAL_POWER || power >= precision - (hasFraction ? 1 : 0);
  const mantissa = isExponential
    ? withPoint(digits, precision - 1, isAlternate)
    : fixed(value, precision - 1 - power, isAlternate);
  const short = isAlternate || !mantissa.includes(".") ? mantissa : withoutEndingZeros(mantissa);
  if (isExponential) return short + exponentText(power);
  return hasFraction && !short.includes(".") ? `${short}.0` : short;
}

/** Smaller numbers have an exponent with the letter g. */
const MIN_GENERAL_POWER = -4;

function withoutEndingZeros(text: string): string {
  let { length } = text;
  while (text.charAt(length - 1) === "0") length -= 1;
  if (text.charAt(length - 1) === ".") length -= 1;
  return text.slice(0, length);
}

/** A text made as wide as wanted; `=` pads behind a sign and a prefix such as `0x`. */
export function pad(text: TextValue, fill: string, align: string, width: number): TextValue {
  const missing = width - characterCount(plain(text));
  if (missing <= 0) return text;
  switch (align) {
    case "<":
      return concatTexts([text, fill.repeat(missing)]);
    case "^": {
      const left = Math.floor(missing / 2);
      return concatTexts([fill.repeat(left), text, fill.repeat(missing - left)]);
    }
    case "=": {
      const signs = /^[+\- ]?(?:0[xXob])?/.exec(plain(text))?.[0].length ?? 0;
      return concatTexts([
        sliceText(text, 0, signs),
        fill.repeat(missing),
        sliceText(text, signs, plain(text).length),
      ]);
    }
    default:
      return concatTexts([fill.repeat(missing), text]);
  }
}
