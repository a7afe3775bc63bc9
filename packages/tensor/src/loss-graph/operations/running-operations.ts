import type { BoundArguments } from "./bound-arguments.js";
import { ElementGroups } from "./element-groups.js";
import {
  type BoundOperation,
  type Differentiation,
  type Numbers,
  type Operation,
  OperationFault,
} from "./operation.js";
import { floatOnly, summedDtype } from "./reduction-operations.js";
import { type ValueDtype, wrapDim } from "./value-type.js";

/** An operation along one dimension that keeps the shape. */
interface AlongRule {
  dtype(input: ValueDtype | undefined): ValueDtype | undefined;
  evaluate(groups: ElementGroups, result: Numbers): void;
  differentiate(groups: ElementGroups, run: Differentiation, target: Float64Array): void;
}

/** @param dtype - what the elements are cast to before, as torch does; `undefined` leaves them */
function bindAlong(rule: AlongRule, dim: number, dtype: "float32" | undefined): BoundOperation {
  return {
    typeOf: ([type]) => {
      wrapDim(dim, type?.shape.length ?? 0);
      return { dtype: rule.dtype(dtype ?? type?.dtype), shape: type?.shape ?? [] };
    },
    evaluate: ({ values: [input], result }) => {
      if (input === undefined) return;
      rule.evaluate(new ElementGroups(input, [wrapDim(dim, input.shape.length)]), result.data);
    },
    differentiate: (run) => {
      const [input] = run.values;
      const [target] = run.into;
      if (input === undefined || target === undefined) return;
      rule.differentiate(new ElementGroups(input, [wrapDim(dim, input.shape.length)]), run, target);
    },
  };
}

/** Sums of a weighted gradient by group, which the derivatives of both softmaxes need. */
function gradientSums(groups: ElementGroups, weight: (index: number) => number): Float64Array {
  const sums = new Float64Array(groups.count);
  for (let index = 0; index < groups.groupOf.length; index += 1) {
    const group = groups.groupOf[index] ?? 0;
    sums[group] = (sums[group] ?? 0) + weight(index);
  }
  return sums;
}

/**
 * Fills an array with the logarithm of each element's share of its group's exponentials. The largest element is taken off first, as torch
 * does it: beside one of 1e38, such as a mask fills in, the logarithm of the sum would be lost, and a group of infinities is all NaN.
 */
function logShares(groups: ElementGroups, result: Numbers, shown: (logShare: number) => number): void {
  const tops = groups.max();
  const sums = groups.fold(0, (total, element, group) => total + Math.exp(element - (tops[group] ?? 0)));
  for (let index = 0; index < result.length; index += 1) {
    const group = groups.groupOf[index] ?? 0;
    result[index] = shown((groups.data[index] ?? 0) - (tops[group] ?? 0) - Math.log(sums[group] ?? 0));
  }
}

const softmax: AlongRule = {
  dtype: floatOnly,
  evaluate: (groups, result) => logShares(groups, result, Math.exp),
  differentiate: (groups, { gradient, result: { data } }, target) => {
    const sums = gradientSums(groups, (index) => (gradient[index] ?? 0) * (data[index] ?? 0));
    for (let index = 0; index < target.length; index += 1) {
      const change = (gradient[index] ?? 0) - (sums[groups.groupOf[index] ?? 0] ?? 0);
      target[index] = (target[index] ?? 0) + (data[index] ?? 0) * change;
    }
  },
};

const logSoftmax: AlongRule = {
  dtype: floatOnly,
  evaluate: (groups, result) => logShares(groups, result, (logShare) => logShare),
  differentiate: (groups, { gradient, result: { data } }, target) => {
    const sums = gradientSums(groups, (index) => gradient[index] ?? 0);
    for (let index = 0; index < target.length; index += 1) {
      const shared = Math.exp(data[index] ?? 0) * (sums[groups.groupOf[index] ?? 0] ?? 0);
      target[index] = (target[index] ?? 0) + (gradient[index] ?? 0) - shared;
    }
  },
};

/** Running sums. The elements of a group come in the order of its dimension, as arrays are row-major. */
const cumsum: AlongRule = {
  dtype: summedDtype,
  evaluate: (groups, result) => {
    const totals = new Float64Array(groups.count);
    for (let index = 0; index < result.length; index += 1) {
      const group = groups.groupOf[index] ?? 0;
      totals[group] = (totals[group] ?? 0) + (groups.data[index] ?? 0);
      result[index] = totals[group] ?? 0;
    }
  },
  differentiate: (groups, { gradient }, target) => {
    const totals = new Float64Array(groups.count);
    for (let index = target.length - 1; index >= 0; index -= 1) {
      const group = groups.groupOf[index] ?? 0;
      totals[group] = (totals[group] ?? 0) + (gradient[index] ?? 0);
      target[index] = (target[index] ?? 0) + (totals[group] ?? 0);
    }
  },
};

const along = (rule: AlongRule): Operation => ({
  parameters: ["input", "dim", "dtype"],
  bind: (args) => bindRule(rule, args),
});

/** The form of `torch.nn.functional`, whose traced calls spell out all defaults. */
const functional = (rule: AlongRule): Operation => ({
  parameters: ["input", "dim", "_stacklevel", "dtype"],
  bind: (args) => {
    args.integer("_stacklevel", 3);
    return bindRule(rule, args);
  },
});

function bindRule(rule: AlongRule, args: BoundArguments): BoundOperation {
  args.tensor("input");
  const dtype = args.dtype("dtype");
  if (dtype !== undefined && dtype !== "float32")
    throw new OperationFault(`dtype must be float32, got ${dtype}`);
  return bindAlong(rule, args.integer("dim"), dtype);
}

/** Operations along one dimension, by torch's name. */
export const RUNNING_OPERATIONS: Readonly<Record<string, Operation>> = {
  softmax: along(softmax),
  log_softmax: along(logSoftmax),
  cumsum: along(cumsum),
  functional_softmax: functional(softmax),
  functional_log_softmax: functional(logSoftmax),
};
