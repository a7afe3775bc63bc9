import { partsOfNumber } from "../printing/round-decimal.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { Float, isInteger, numberOf, type Value } from "../values/values.js";

/** Calculates with two numbers as Python does, where those without a fraction stay without. */
export function calculateNumbers(operator: string, left: Value, right: Value): Value {
  const [a = 0, b = 0] = [numberOf(left), numberOf(right)];
  const isWhole = isInteger(left) && isInteger(right);
  const number = (result: number): Value => (isWhole ? whole(result) : new Float(result));
  switch (operator) {
    case "+":
      return number(a + b);
    case "-":
      return number(a - b);
    case "*":
      return number(a * b);
    case "**":
      return power(a, b, isWhole);
  }
  if (b === 0) throw new TemplateError(`'${operator}' by zero`);
  switch (operator) {
    case "/":
      return new Float(a / b);
    case "//":
      return isWhole ? whole((a - modulo(a, b)) / b) : new Float(floorQuotient(a, b));
    case "%":
      return number(modulo(a, b));
    default:
      throw unsupported(`'${operator}'`);
  }
}

/** The rest that has the sign of the divisor, as Python's has; one of nothing has it, too. */
function modulo(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}

/** The quotient of numbers with fractions without its own, by the steps of CPython: `1.0 // 0.1` is 9. */
function floorQuotient(a: number, b: number): number {
  const rest = a % b;
  const quotient = (a - rest) / b - (rest !== 0 && b < 0 !== rest < 0 ? 1 : 0);
  if (quotient === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

/** A whole number that JavaScript can hold. */
export function whole(number: number): number {
  if (!Number.isSafeInteger(number)) throw unsupported("a number beyond 2^53");
  // There is no -0 among whole numbers.
  return number + 0;
}

/** Powers that are calculated exactly before they are rounded: JavaScript's own are a little off. */
const MAX_EXPONENT = 64;
/** Smaller results have less digits, and are not rounded here. */
const MIN_NORMAL = 1e-300;

function power(base: number, exponent: number, isWhole: boolean): Value {
  if (base === 0 && exponent < 0) throw new TemplateError("0 has no negative power");
  if (exponent === 0) return isWhole ? 1 : new Float(1);
  if (base < 0 && !Number.isInteger(exponent)) throw unsupported("a power that is a complex number");
  if (exponent === 0.5 && Number.isFinite(base)) return new Float(Math.sqrt(base) + 0);
  if (base === 0 || Math.abs(base) === 1) {
    const result = base ** exponent;
    return isWhole && exponent > 0 ? whole(result) : new Float(result);
  }
  if (!Number.isFinite(base) || !Number.isInteger(exponent) || Math.abs(exponent) > MAX_EXPONENT)
    throw isWhole && exponent > 0 ? unsupported("a number beyond 2^53") : unsupported("this power");
  const parts = partsOfNumber(Math.abs(base));
  const mantissa = parts.mantissa ** BigInt(Math.abs(exponent));
  const isNegative = base < 0 && exponent % 2 !== 0;
  const size =
    exponent > 0
      ? nearest(mantissa, 1n, parts.exponent * exponent)
      : nearest(1n, mantissa, parts.exponent * exponent);
  const result = isNegative ? -size : size;
  if (isWhole && exponent > 0) return whole(result);
  if (!Number.isFinite(result)) throw new TemplateError("a power is too large");
  if (size < MIN_NORMAL) throw unsupported("a power this small");
  return new Float(result);
}

/** Bits of a quotient that are enough to round it once. */
const QUOTIENT_BITS = 70;

/** The number nearest to `numerator / denominator * 2 ** exponent`. */
function nearest(numerator: bigint, denominator: bigint, exponent: number): number {
  const shift = bitLength(denominator) - bitLength(numerator) + QUOTIENT_BITS;
  const dividend = shift > 0 ? numerator << BigInt(shift) : numerator;
  const divisor = shift < 0 ? denominator << BigInt(-shift) : denominator;
  const quotient = dividend / divisor;
  // A last bit that tells of the rest, so that what is nearly half is not taken for half.
  const rounded = Number(dividend % divisor === 0n ? quotient : quotient | 1n);
  return scale(rounded, exponent - shift);
}

/** `value * 2 ** exponent`, in two steps as either may be beyond what a number holds. */
function scale(value: number, exponent: number): number {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}
