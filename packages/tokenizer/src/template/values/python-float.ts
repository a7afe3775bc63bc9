import { describeValue, ValidationError } from "@tinkex/base";
import { Float } from "./values.js";

/**
 * A number that Python has as a float: a chat template prints `new PythonFloat(1)` as `1.0`, where it prints JavaScript's own 1 as `1`.
 * Give it among the messages, tools or variables, wherever a number may stand.
 */
export class PythonFloat extends Float {
  /**
   * @param value - the number; infinities and `NaN` are printed as Python prints them
   * @throws ValidationError when it is no number
   */
  constructor(value: number) {
    if (typeof value !== "number") {
      throw new ValidationError(`PythonFloat: value must be a number, got ${describeValue(value)}`, {
        path: ["value"],
      });
    }
    super(value);
  }
}
