import { characterCount } from "../values/python-text.js";
import { unsupported } from "../values/template-error.js";
import { concatTexts, plain, sliceText, type TextValue } from "../values/text.js";

/** A whole number from 0 on, in the base of a format's letter. */
export function formatWhole(value: number, letter: string, isPrefixed: boolean): string {
  const base = { x: 16, X: 16, o: 8, b: 2 }[letter] ?? 10;
  const digits = BigInt(value).toString(base);
  const prefix = isPrefixed && base !== 10 ? `0${letter}` : "";
  return prefix + (letter === "X" ? digits.toUpperCase() : digits);
}

const MAX_DIGITS = 100;

/** A number from 0 on with a fraction, as the letters f, e and g of a format write it. */
export function formatFloat(value: number, letter: string, precision: number): string {
  if (precision > MAX_DIGITS) throw unsupported(`a format of more than ${MAX_DIGITS} digits`);
  if (!Number.isFinite(value)) {
    const name = Number.isNaN(value) ? "nan" : "inf";
    return letter === letter.toUpperCase() ? name.toUpperCase() : name;
  }
  const lower = letter.toLowerCase();
  const text =
    lower === "f"
      ? fixed(value, precision)
      : lower === "e"
        ? exponential(value, precision)
        : general(value, precision);
  return letter === letter.toUpperCase() ? text.toUpperCase() : text;
}

/** Above this, JavaScript's `toFixed` writes exponents. */
const MAX_FIXED = 1e21;

function fixed(value: number, precision: number): string {
  if (value >= MAX_FIXED)
    return BigInt(value).toString() + (precision > 0 ? `.${"0".repeat(precision)}` : "");
  const rounded = value.toFixed(precision);
  // Of two that are as near, JavaScript takes the larger one, and Python the even one.
  const exact = value.toFixed(Math.min(MAX_DIGITS, precision + 30));
  const isTie = /^50*$/.test(exact.slice(exact.indexOf(".") + 1 + precision));
  const isOdd = "13579".includes(rounded.charAt(rounded.length - 1));
  if (!isTie || !isOdd) return rounded;
  return precision === 0
    ? exact.slice(0, exact.indexOf("."))
    : exact.slice(0, exact.indexOf(".") + 1 + precision);
}

function exponential(value: number, precision: number): string {
  const [mantissa = "", exponent = ""] = value.toExponential(precision).split("e");
  return `${mantissa}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, "0")}`;
}

function general(value: number, wanted: number): string {
  const precision = Math.max(1, wanted);
  const exponent = value === 0 ? 0 : Number(value.toExponential(precision - 1).split("e")[1]);
  const text =
    exponent < -4 || exponent >= precision
      ? exponential(value, precision - 1)
      : fixed(value, Math.max(0, precision - 1 - exponent));
  const [mantissa = "", power] = text.split("e");
  const short = mantissa.includes(".") ? withoutEndingZeros(mantissa) : mantissa;
  return power === undefined ? short : `${short}e${power}`;
}

function withoutEndingZeros(text: string): string {
  let { length } = text;
  while (text.charAt(length - 1) === "0") length -= 1;
  if (text.charAt(length - 1) === ".") length -= 1;
  return text.slice(0, length);
}

/** A text made as wide as wanted; `=` pads between a sign and the digits. */
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
      const signs = /^[+\- ]/.test(plain(text)) ? 1 : 0;
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
