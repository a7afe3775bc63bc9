import { bindByPlace } from "../values/run.js";
import { Callable, Float, isInteger, numberOf, type Value } from "../values/values.js";
import { bitLength } from "./arithmetic.js";

/** An attribute of a number, a Boolean among them, as Python's `int` and `float` have it. */
export function numberAttribute(value: Value, name: string): Value | undefined {
  const number = numberOf(value) ?? 0;
  const same = isInteger(value) ? number : new Float(number);
  const method = (result: () => Value) =>
    new Callable(name, (given) => {
      bindByPlace(name, given, []);
      return result();
    });
  switch (name) {
    case "real":
      return same;
    case "imag":
      return isInteger(value) ? 0 : new Float(0);
    case "conjugate":
      return method(() => same);
  }
  if (!isInteger(value)) return name === "is_integer" ? method(() => Number.isInteger(number)) : undefined;
  const size = BigInt(Math.abs(number));
  switch (name) {
    case "numerator":
      return number;
    case "denominator":
      return 1;
    case "bit_length":
      return method(() => bitLength(size));
    case "bit_count":
      return method(() => size.toString(2).replaceAll("0", "").length);
    default:
      return undefined;
  }
}
