import { castNumbers, StretchedOperand } from "./elementwise.js";
import { type BoundOperation, type Evaluation, type Operation, OperationFault } from "./operation.js";
import { broadcastShapes, promoted, type ValueType } from "./value-type.js";

/** Takes elements of the second operand where the first, a mask, is true, else of the third. */
const bindWhere: BoundOperation = {
  typeOf: (types) => {
    const [condition, ...choices] = types;
    if (condition?.dtype !== undefined && condition.dtype !== "bool") {
      throw new OperationFault(
        `the condition must be bool, got ${condition.dtype}; compare it, e.g. with .gt(0)`,
      );
    }
    return { dtype: promoted(choices), shape: broadcastShapes(types.map(({ shape }) => shape)) };
  },
  evaluate: ({ values, result, make }) => {
    const [condition, chosen, other] = values.map((value, index) => {
      return new StretchedOperand(value, result.shape, index === 0 ? "bool" : result.dtype, make);
    });
    for (let index = 0; index < result.data.length; index += 1) {
      result.data[index] = (condition?.at(index) === 1 ? chosen : other)?.at(index) ?? 0;
    }
  },
  differentiate: ({ values, result, gradient, into, make }) => {
    const [condition, ...choices] = values.map((value, index) => {
      return new StretchedOperand(value, result.shape, index === 0 ? "bool" : result.dtype, make);
    });
    for (const [choice, operand] of choices.entries()) {
      const target = into[choice + 1];
      if (target === undefined) continue;
      for (let index = 0; index < gradient.length; index += 1) {
        if ((condition?.at(index) === 1) !== (choice === 0)) continue;
        const place = operand.placeOf(index);
        target[place] = (target[place] ?? 0) + (gradient[index] ?? 0);
      }
    }
  },
};

/** Places of the bounds of a clamp among its operands; a bound that is not given is absent. */
interface Bounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

function bindClamp({ min, max }: Bounds): BoundOperation {
  if (min === undefined && max === undefined) {
    throw new OperationFault('one of the arguments "min" and "max" must be a number');
  }
  /** The bounds as the elements' dtype holds them: 0.8 is the nearest float of 32 bits. */
  const limitsIn = ({
    values,
    result,
    make,
  }: Evaluation): { readonly low: number; readonly high: number } => {
    const limit = (place: number | undefined, none: number): number => {
      const bound = place === undefined ? undefined : values[place];
      return bound === undefined ? none : (castNumbers(bound, result.dtype, make)[0] ?? none);
    };
    return { low: limit(min, Number.NEGATIVE_INFINITY), high: limit(max, Number.POSITIVE_INFINITY) };
  };
  return {
    typeOf: (types) => ({ dtype: promoted(types), shape: types[0]?.shape ?? [] }),
    evaluate: (run) => {
      const { low, high } = limitsIn(run);
      const [input] = run.values;
      const { data } = run.result;
      for (let index = 0; index < data.length; index += 1) {
        data[index] = Math.min(Math.max(input?.data[index] ?? 0, low), high);
      }
    },
    differentiate: (run) => {
      const { low, high } = limitsIn(run);
      const [input] = run.values;
      const [target] = run.into;
      if (target === undefined) return;
      for (let index = 0; index < target.length; index += 1) {
        const value = input?.data[index] ?? 0;
        // At a bound there is no gradient, as in torch 2.15. A bound that is not given stops not even infinity.
        const isInside = (min === undefined || value > low) && (max === undefined || value < high);
        if (isInside) target[index] = (target[index] ?? 0) + (run.gradient[index] ?? 0);
      }
    },
  };
}

/** Gives the type of a filled value, which keeps its dtype: a filling that does not fit is refused, as in torch, or cast. */
function filledType(types: readonly ValueType[]): ValueType {
  const [, value, input] = types;
  if (input?.dtype === "int64" && value?.dtype === "float32") {
    throw new OperationFault("the value must be an integer to fill an int64 tensor, got a float");
  }
  return { ...bindWhere.typeOf(types), dtype: input?.dtype };
}

/** Operations that choose among elements, by torch's name. */
export const CHOICE_OPERATIONS: Readonly<Record<string, Operation>> = {
  where: {
    parameters: ["condition", "input", "other"],
    bind: (args) => {
      args.tensor("condition");
      args.tensorOrNumber("input");
      args.tensorOrNumber("other");
      return bindWhere;
    },
  },
  /** The method, called on the tensor that is chosen where the condition holds. */
  where_method: {
    parameters: ["input", "condition", "other"],
    bind: (args) => {
      args.tensor("condition");
      args.tensor("input");
      args.tensorOrNumber("other");
      return bindWhere;
    },
  },
  masked_fill: {
    parameters: ["input", "mask", "value"],
    bind: (args) => {
      args.tensor("mask");
      args.tensorOrNumber("value");
      args.tensor("input");
      return { ...bindWhere, typeOf: filledType };
    },
  },
  clamp: {
    parameters: ["input", "min", "max"],
    bind: (args) => {
      args.tensor("input");
      return bindClamp({ min: args.number("min"), max: args.number("max") });
    },
  },
};
