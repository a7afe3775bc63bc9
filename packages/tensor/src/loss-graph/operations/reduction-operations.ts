import { ElementGroups } from "./element-groups.js";
import { type BoundOperation, type Numbers, type Operation, OperationFault } from "./operation.js";
import { type Shape, type ValueDtype, type ValueType, wrapDim } from "./value-type.js";

/** Gives the derivative of a group's value by one of its elements; `undefined` stops the gradient, infinite ones and NaN too. */
type Slope = (element: number, group: number) => number | undefined;

/** Sums, means and their like: each group of elements becomes one. */
interface ReductionRule {
  dtype(input: ValueDtype | undefined): ValueDtype | undefined;
  reduce(groups: ElementGroups): Float64Array;
  slope(groups: ElementGroups, results: Numbers): Slope;
  /** A group without elements has no value. */
  readonly needsElements?: true;
}

/** Refuses integers, as torch does. */
export function floatOnly(dtype: ValueDtype | undefined): ValueDtype {
  if (dtype === undefined || dtype === "float32") return "float32";
  throw new OperationFault(`is defined for float32 only, got ${dtype}; cast with .to("float32") first`);
}

/** Sums of integers and masks are integers. */
export const summedDtype = (dtype: ValueDtype | undefined): ValueDtype | undefined =>
  dtype === "bool" ? "int64" : dtype;

const sum: ReductionRule = {
  dtype: summedDtype,
  reduce: (groups) => groups.sum(),
  slope: () => () => 1,
};

const mean: ReductionRule = {
  dtype: floatOnly,
  reduce: (groups) => groups.sum().map((total) => total / groups.size),
  slope: (groups) => () => 1 / groups.size,
};

const logsumexp: ReductionRule = {
  dtype: floatOnly,
  reduce: (groups) => groups.logSumExp(),
  // NaN where all elements of a group are -Infinity, as in torch.
  slope: (_, results) => (element, group) => Math.exp(element - (results[group] ?? 0)),
};

/** The largest or smallest element; elements that share the place share the gradient. */
const extreme = (reduce: (groups: ElementGroups) => Float64Array): ReductionRule => ({
  dtype: (dtype) => dtype,
  reduce,
  slope: (groups, results) => {
    const isOne = (element: number, group: number): number => (element === results[group] ? 1 : 0);
    const counts = groups.fold(0, (total, element, group) => total + isOne(element, group));
    return (element, group) => isOne(element, group) / (counts[group] ?? 1);
  },
  needsElements: true,
});

/** The largest or smallest of all elements, which torch shares in its own way: the others get no part, and NaN is found as a number is. */
const wholeExtreme = (reduce: (groups: ElementGroups) => Float64Array): ReductionRule => ({
  ...extreme(reduce),
  slope: ({ data }, [result = Number.NaN]) => {
    const isOne = (element: number): boolean =>
      element === result || (Number.isNaN(element) && Number.isNaN(result));
    const part = 1 / data.filter(isOne).length;
    return (element) => (isOne(element) ? part : undefined);
  },
});

/** @param dims - dimensions to reduce; `undefined` or none for all */
function bindReduction(
  rule: ReductionRule,
  dims: readonly number[] | undefined,
  keepsDims: boolean,
): BoundOperation {
  const dimsOf = (shape: Shape): readonly number[] => {
    if (dims === undefined || dims.length === 0) return [...shape.keys()];
    const wrapped = dims.map((dim) => wrapDim(dim, shape.length));
    if (new Set(wrapped).size < dims.length)
      throw new OperationFault(`dim has ${dims.join(", ")}: one twice`);
    return wrapped;
  };
  return {
    typeOf: ([type]) => {
      const { dtype, shape }: ValueType = type ?? { dtype: undefined, shape: [] };
      const reduced = dimsOf(shape);
      if (rule.needsElements && reduced.some((axis) => shape[axis] === 0)) {
        throw new OperationFault("has no value where there are no elements");
      }
      const kept = shape.map((size, axis) => (reduced.includes(axis) ? 1 : size));
      return {
        dtype: rule.dtype(dtype),
        shape: keepsDims ? kept : shape.filter((_, axis) => !reduced.includes(axis)),
      };
    },
    evaluate: ({ values: [input], result }) => {
      if (input !== undefined) result.data.set(rule.reduce(new ElementGroups(input, dimsOf(input.shape))));
    },
    differentiate: ({ values: [input], result, gradient, into: [target] }) => {
      if (input === undefined || target === undefined) return;
      const groups = new ElementGroups(input, dimsOf(input.shape));
      const slope = rule.slope(groups, result.data);
      for (let index = 0; index < target.length; index += 1) {
        const group = groups.groupOf[index] ?? 0;
        const own = slope(input.data[index] ?? 0, group);
        if (own === undefined) continue;
        target[index] = (target[index] ?? 0) + (gradient[group] ?? 0) * own;
      }
    },
  };
}

const reduction = (rule: ReductionRule): Operation => ({
  parameters: ["input", "dim", "keepdim"],
  bind: (args) => {
    args.tensor("input");
    return bindReduction(rule, args.integers("dim"), args.flag("keepdim"));
  },
});

/** `max()` and `min()` of torch give values and places where a dimension is named, which is why `amax` and `amin` exist. */
const wholeReduction = (rule: ReductionRule, other: string): Operation => ({
  parameters: ["input", "dim"],
  bind: (args) => {
    args.tensor("input");
    if (args.has("dim"))
      throw new OperationFault(`takes no dim here; use ${other}, which gives the values alone`);
    return bindReduction(rule, args.integers("dim"), false);
  },
});

/** Operations that make one element of many, by torch's name. */
export const REDUCTION_OPERATIONS: Readonly<Record<string, Operation>> = {
  sum: reduction(sum),
  mean: reduction(mean),
  amax: reduction(extreme((groups) => groups.max())),
  amin: reduction(extreme((groups) => groups.min())),
  max: wholeReduction(
    wholeExtreme((groups) => groups.max()),
    "amax",
  ),
  min: wholeReduction(
    wholeExtreme((groups) => groups.min()),
    "amin",
  ),
  logsumexp: {
    parameters: ["input", "dim", "keepdim"],
    bind: (args) => {
      args.tensor("input");
      if (!args.has("dim")) throw new OperationFault('the argument "dim" is missing');
      return bindReduction(logsumexp, args.integers("dim"), args.flag("keepdim"));
    },
  },
};
