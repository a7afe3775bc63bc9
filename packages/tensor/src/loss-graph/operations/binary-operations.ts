import { binary, type ElementwiseRule } from "./elementwise.js";
import { type Operation, OperationFault } from "./operation.js";
import type { ValueType } from "./value-type.js";

/** Refuses arithmetic on two masks, which torch refuses too or which gives a mask again. */
function refuseBools(types: readonly ValueType[]): void {
  if (types.every(({ dtype }) => dtype === "bool")) {
    throw new OperationFault('is not defined for two bool operands; cast one with .to("float32") first');
  }
}

function requireBools(types: readonly ValueType[]): void {
  const other = types.find(({ dtype }) => dtype !== undefined && dtype !== "bool");
  if (other !== undefined) throw new OperationFault(`is defined for bool only, got ${other.dtype}`);
}

const arithmetic = (rule: Omit<ElementwiseRule, "dtype">): Operation =>
  binary({ dtype: "promoted", check: refuseBools, ...rule });

const comparison = (holds: (a: number, b: number) => boolean): Operation =>
  binary({ dtype: "bool", apply: (a, b) => (holds(a, b) ? 1 : 0) });

/** Powers as C has them: 1 to whatever is 1. */
function power(base: number, exponent: number): number {
  if (base === 1 || (base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY)) return 1;
  return base ** exponent;
}

/** The rest of a division with the divisor's sign, as Python has it. */
function modulo(a: number, b: number): number {
  const rest = a % b;
  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest;
}

/** The quotient below, from the rest as C has it, so that it is right for divisors without end (torch's `div_floor_floating`). */
function floorDivide(a: number, b: number): number {
  if (b === 0) return a / b;
  const rest = a % b;
  const quotient = (a - rest) / b;
  return Math.round(rest !== 0 && rest < 0 !== b < 0 ? quotient - 1 : quotient);
}

function logAddExp(a: number, b: number): number {
  // Infinities of one sign have no difference.
  return a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
}

/** Gives an element's part of a choice as torch shares a gradient: halves of a tie, and all for both where one of them is no number. */
const share = (isPassedOver: boolean, isTie: boolean): number | undefined => {
  if (isTie) return 0.5;
  return isPassedOver ? undefined : 1;
};

/** Operations on two tensors, element by element, by torch's name. */
export const BINARY_OPERATIONS: Readonly<Record<string, Operation>> = {
  add: arithmetic({ apply: (a, b) => a + b, slopes: [() => 1, () => 1] }),
  sub: arithmetic({ apply: (a, b) => a - b, slopes: [() => 1, () => -1] }),
  mul: binary({ dtype: "promoted", apply: (a, b) => a * b, slopes: [(_, b) => b, (a) => a] }),
  div: binary({
    dtype: "float",
    apply: (a, b) => a / b,
    slopes: [(_, b) => 1 / b, (_, b, y) => -y / b],
  }),
  floor_divide: arithmetic({ apply: floorDivide }),
  remainder: arithmetic({
    apply: modulo,
    slopes: [() => 1, (a, b) => -floorDivide(a, b)],
  }),
  pow: arithmetic({
    apply: power,
    slopes: [
      (a, b) => (b === 0 ? undefined : b * power(a, b - 1)),
      (a, b, y) => (a === 0 && b >= 0 ? 0 : y * Math.log(a)),
    ],
  }),
  logaddexp: binary(
    {
      dtype: "float",
      apply: logAddExp,
      slopes: [(a, b) => 1 / (1 + Math.exp(b - a)), (a, b) => 1 / (1 + Math.exp(a - b))],
    },
    "none",
  ),
  minimum: binary(
    {
      dtype: "promoted",
      apply: Math.min,
      slopes: [(a, b) => share(a > b, a === b), (a, b) => share(b > a, a === b)],
    },
    "none",
  ),
  maximum: binary(
    {
      dtype: "promoted",
      apply: Math.max,
      slopes: [(a, b) => share(a < b, a === b), (a, b) => share(b < a, a === b)],
    },
    "none",
  ),
  gt: comparison((a, b) => a > b),
  ge: comparison((a, b) => a >= b),
  lt: comparison((a, b) => a < b),
  le: comparison((a, b) => a <= b),
  eq: comparison((a, b) => a === b),
  ne: comparison((a, b) => a !== b),
  logical_and: binary({ dtype: "bool", apply: (a, b) => (a !== 0 && b !== 0 ? 1 : 0) }, "none"),
  logical_or: binary({ dtype: "bool", apply: (a, b) => (a !== 0 || b !== 0 ? 1 : 0) }, "none"),
  and: binary({ dtype: "bool", apply: (a, b) => a * b, check: requireBools }),
  or: binary({ dtype: "bool", apply: (a, b) => Math.max(a, b), check: requireBools }),
};
