import { type ElementSlope, type ElementwiseRule, unary } from "./elementwise.js";
import { type Operation, OperationFault } from "./operation.js";
import type { ValueType } from "./value-type.js";

/** A smooth function of one number: its values and its derivative by argument and value. */
function smooth(apply: (x: number) => number, slope: (x: number, y: number) => number): ElementwiseRule {
  return { dtype: "float", apply, slopes: [(x, _, y) => slope(x, y)] };
}

/** A function that keeps the dtype. */
function keeping(
  apply: (x: number) => number,
  slope: (x: number, y: number) => ReturnType<ElementSlope>,
): ElementwiseRule {
  return { dtype: "promoted", apply, slopes: [(x, _, y) => slope(x, y)], check: refuseBool };
}

function predicate(holds: (x: number) => boolean): ElementwiseRule {
  return { dtype: "bool", apply: (x) => (holds(x) ? 1 : 0) };
}

function refuseBool(types: readonly ValueType[]): void {
  if (types.every(({ dtype }) => dtype === "bool")) {
    throw new OperationFault('is not defined for bool; cast with .to("float32") first');
  }
}

function refuseOther(types: readonly ValueType[]): void {
  const [type] = types;
  if (type?.dtype !== undefined && type.dtype !== "bool") {
    throw new OperationFault(`is defined for bool only, got ${type.dtype}`);
  }
}

/** Rounds halves to the even neighbour, as torch does. */
function roundToEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Stops the gradient: a function of steps passes none on. */
const stop = (): undefined => undefined;

/** The sign as torch has it, which is 0 for what is no number. */
const sign = (x: number): number => (Number.isNaN(x) ? 0 : Math.sign(x));

/** Operations on one tensor, element by element, by torch's name. */
export const UNARY_OPERATIONS: Readonly<Record<string, Operation>> = {
  neg: unary(
    keeping(
      (x) => -x,
      () => -1,
    ),
  ),
  pos: unary(
    keeping(
      (x) => x,
      () => 1,
    ),
  ),
  abs: unary(keeping(Math.abs, sign)),
  sign: unary(keeping(sign, stop)),
  floor: unary(keeping(Math.floor, stop)),
  ceil: unary(keeping(Math.ceil, stop)),
  round: unary(keeping(roundToEven, stop)),
  square: unary(
    keeping(
      (x) => x * x,
      (x) => 2 * x,
    ),
  ),
  relu: unary(
    keeping(
      (x) => Math.max(x, 0),
      (_, y) => (y <= 0 ? undefined : 1),
    ),
  ),
  exp: unary(smooth(Math.exp, (_, y) => y)),
  expm1: unary(smooth(Math.expm1, (_, y) => y + 1)),
  log: unary(smooth(Math.log, (x) => 1 / x)),
  log1p: unary(smooth(Math.log1p, (x) => 1 / (1 + x))),
  log2: unary(smooth(Math.log2, (x) => 1 / (x * Math.LN2))),
  sqrt: unary(smooth(Math.sqrt, (_, y) => 0.5 / y)),
  rsqrt: unary(
    smooth(
      (x) => 1 / Math.sqrt(x),
      (_, y) => -0.5 * y ** 3,
    ),
  ),
  reciprocal: unary(
    smooth(
      (x) => 1 / x,
      (_, y) => -y * y,
    ),
  ),
  sigmoid: unary(smooth(sigmoid, (_, y) => y * (1 - y))),
  tanh: unary(smooth(Math.tanh, (_, y) => 1 - y * y)),
  isnan: unary(predicate(Number.isNaN)),
  isfinite: unary(predicate(Number.isFinite)),
  logical_not: unary(predicate((x) => x === 0)),
  invert: unary({ ...predicate((x) => x === 0), check: refuseOther }),
};
