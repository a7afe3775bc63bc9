import { castNumbers } from "./elementwise.js";
import { type BoundOperation, type Operation, OperationFault } from "./operation.js";
import type { ValueDtype } from "./value-type.js";

/** Gives a value in another dtype; `undefined` leaves it. Only floats pass a gradient on. */
function bindCast(dtype: ValueDtype | undefined, isDetached = false): BoundOperation {
  return {
    typeOf: ([type]) => ({ dtype: dtype ?? type?.dtype, shape: type?.shape ?? [] }),
    evaluate: ({ values: [input], result, make }) => {
      if (input !== undefined) result.data.set(castNumbers(input, result.dtype, make));
    },
    differentiate:
      isDetached || (dtype !== undefined && dtype !== "float32")
        ? undefined
        : ({ gradient, into: [target] }) => {
            if (target === undefined) return;
            for (let index = 0; index < target.length; index += 1) {
              target[index] = (target[index] ?? 0) + (gradient[index] ?? 0);
            }
          },
  };
}

const cast = (dtype: ValueDtype | undefined, isDetached = false): Operation => ({
  parameters: ["input"],
  bind: (args) => {
    args.tensor("input");
    return bindCast(dtype, isDetached);
  },
});

/** Makes a value shaped like another, of one number. */
const filled = (number: number | undefined): Operation => ({
  parameters: number === undefined ? ["input", "fill_value", "dtype"] : ["input", "dtype"],
  bind: (args) => {
    args.tensor("input");
    const dtype = args.dtype("dtype");
    const place = number === undefined ? args.number("fill_value") : undefined;
    if (number === undefined && place === undefined) {
      throw new OperationFault('the argument "fill_value" must be a number');
    }
    return {
      typeOf: ([type]) => ({ dtype: dtype ?? type?.dtype, shape: type?.shape ?? [] }),
      evaluate: ({ values, result, make }) => {
        const fill = place === undefined ? undefined : values[place];
        const [element = 0] = fill === undefined ? [number] : castNumbers(fill, result.dtype, make);
        result.data.fill(element);
      },
    };
  },
});

/** Operations on the dtype, and constants, by torch's name. */
export const CAST_OPERATIONS: Readonly<Record<string, Operation>> = {
  to: {
    parameters: ["input", "dtype"],
    bind: (args) => {
      args.tensor("input");
      return bindCast(args.dtype("dtype"));
    },
  },
  float: cast("float32"),
  long: cast("int64"),
  bool: cast("bool"),
  clone: cast(undefined),
  detach: cast(undefined, true),
  zeros_like: filled(0),
  ones_like: filled(1),
  full_like: filled(undefined),
};
