import { checkNumberList, describeValue, ValidationError } from "@tinkex/base";

/** Checks that an argument is an array, or a typed array, of numbers. @throws ValidationError naming the first that is none */
export function checkNumbers(values: unknown, what: string): asserts values is ArrayLike<number> {
  checkNumberList(values, what);
  for (let index = 0; index < values.length; index += 1) {
    if (typeof values[index] === "number") continue;
    throw new ValidationError(`${what}[${index}] must be a number, got ${describeValue(values[index])}`);
  }
}

/** Checks that an argument is a number. @throws ValidationError */
export function checkNumber(value: unknown, what: string): asserts value is number {
  if (typeof value === "number") return;
  throw new ValidationError(`${what} must be a number, got ${describeValue(value)}`);
}
