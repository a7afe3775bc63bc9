const MANTISSA_BITS = 52;
const EXPONENT_BIAS = 1075;

/** A finite number from 0 on as `mantissa * 2 ** exponent`, which is exact. */
export function partsOfNumber(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & ((1n << BigInt(MANTISSA_BITS)) - 1n);
  const exponent = Number((bits >> BigInt(MANTISSA_BITS)) & 0x7ffn);
  return exponent === 0
    ? { mantissa: fraction, exponent: 1 - EXPONENT_BIAS }
    : { mantissa: fraction | (1n << BigInt(MANTISSA_BITS)), exponent: exponent - EXPONENT_BIAS };
}

/**
 * Rounds `value * 10 ** digits` to a whole number, of two that are as near to the even one, as Python does everywhere.
 * JavaScript's `toFixed`, `toExponential` and `toPrecision` take the larger one.
 *
 * @param value - a finite number from 0 on
 */
export function roundDecimal(value: number, digits: number): bigint {
  const { mantissa, exponent } = partsOfNumber(value);
  const scale = 10n ** BigInt(Math.abs(digits));
  const numerator = mantissa * (exponent > 0 ? 1n << BigInt(exponent) : 1n) * (digits > 0 ? scale : 1n);
  const denominator = (exponent < 0 ? 1n << BigInt(-exponent) : 1n) * (digits < 0 ? scale : 1n);
  return roundQuotient(numerator, denominator);
}

/** The whole number nearest to a quotient of two from 0 on, of two that are as near the even one. */
export function roundQuotient(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const isUp = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}
