import {
  type BoundOperation,
  type Differentiation,
  type Evaluation,
  type MakeNumbers,
  type Numbers,
  type Operation,
  OperationFault,
  type Value,
} from "./operation.js";
import { broadcastShapes, promoted, type ValueDtype, type ValueType } from "./value-type.js";
import { elementPlaces, stretchedView } from "./view.js";

/** Dtype of a result: that of the operands, a float in any case, or bool. */
export type ResultDtype = "promoted" | "float" | "bool";

/**
 * Derivative by one operand, given the operands and the result. `undefined` stops the gradient, infinite ones and NaN too, where torch
 * has no product but a zero; a slope of 0 makes NaN of them.
 */
export type ElementSlope = (a: number, b: number, y: number) => number | undefined;

/** An operation on each element by itself. */
export interface ElementwiseRule {
  readonly dtype: ResultDtype;
  /** Gives one element of the result; `b` is 0 where there is one operand. */
  apply(a: number, b: number): number;
  /** Derivatives by each operand. Absent where the result is no smooth function. */
  readonly slopes?: readonly ElementSlope[] | undefined;
  /** Refuses types that torch refuses. */
  check?(types: readonly ValueType[]): void;
}

/** Makes an operation of one operand. */
export function unary(rule: ElementwiseRule): Operation {
  return {
    parameters: ["input"],
    bind: (args) => {
      args.tensor("input");
      return bindElementwise(rule);
    },
  };
}

/** Makes an operation of two operands, which are broadcast; either may be a number, and one must be a tensor. */
export function binary(rule: ElementwiseRule, numbers: "any" | "none" = "any"): Operation {
  return {
    parameters: ["input", "other"],
    bind: (args) => {
      if (numbers === "none") {
        args.tensor("input");
        args.tensor("other");
      } else {
        args.tensorOrNumber("input");
        args.tensorOrNumber("other");
        if (args.operands.every((operand) => typeof operand !== "number")) {
          throw new OperationFault("one operand must be the result of a node; compute constants beforehand");
        }
      }
      return bindElementwise(rule);
    },
  };
}

function bindElementwise(rule: ElementwiseRule): BoundOperation {
  const { slopes } = rule;
  return {
    typeOf: (types) => {
      rule.check?.(types);
      return {
        dtype: resultDtype(rule.dtype, types),
        shape: broadcastShapes(types.map(({ shape }) => shape)),
      };
    },
    evaluate: (run) => {
      const [a, b] = operandsOf(rule, run);
      const { data } = run.result;
      const { apply } = rule;
      const [left, leftPlaces, right, rightPlaces] = [a.data, a.places, b.data, b.places];
      for (let index = 0; index < data.length; index += 1) {
        const x = left[leftPlaces === undefined ? index * a.step : (leftPlaces[index] ?? 0)] ?? 0;
        const y = right[rightPlaces === undefined ? index * b.step : (rightPlaces[index] ?? 0)] ?? 0;
        data[index] = apply(x, y);
      }
    },
    differentiate:
      slopes &&
      ((run) => {
        const [a, b] = operandsOf(rule, run);
        for (const [operand, slope] of slopes.entries()) {
          const target = run.into[operand];
          if (target !== undefined) addGradient(run, [a, b], operand === 0 ? a : b, slope, target);
        }
      }),
  };

  /** Adds the gradient of one operand. */
  function addGradient(
    { gradient, result: { data } }: Differentiation,
    [a, b]: readonly [StretchedOperand, StretchedOperand],
    own: StretchedOperand,
    slope: ElementSlope,
    target: Float64Array,
  ): void {
    for (let index = 0; index < gradient.length; index += 1) {
      const factor = slope(a.at(index), b.at(index), data[index] ?? 0);
      if (factor === undefined) continue;
      const place = own.placeOf(index);
      target[place] = (target[place] ?? 0) + (gradient[index] ?? 0) * factor;
    }
  }
}

function resultDtype(wanted: ResultDtype, types: readonly ValueType[]): ValueDtype | undefined {
  if (wanted === "promoted") return promoted(types);
  return wanted === "bool" ? "bool" : "float32";
}

/** The elements of an operand, read in the order of the result. */
export class StretchedOperand {
  readonly data: Numbers;
  /** Place of each element of the result in the operand; `undefined` where `step` tells. */
  readonly places: Int32Array | undefined;
  /** From one element of the result to the next: 1 for operands of its shape, 0 for a single number. */
  readonly step: number;

  constructor(value: Value, shape: readonly number[], dtype: ValueDtype, make: MakeNumbers) {
    const isSame =
      value.shape.length === shape.length && value.shape.every((size, axis) => size === shape[axis]);
    const isSingle = value.data.length === 1;
    this.data = castNumbers(value, dtype, make);
    this.places = isSame || isSingle ? undefined : elementPlaces(stretchedView(value.shape, shape));
    this.step = isSingle ? 0 : 1;
  }

  /** Element that takes part in an element of the result. */
  at(index: number): number {
    return this.data[this.placeOf(index)] ?? 0;
  }

  /** Place of that element. */
  placeOf(index: number): number {
    return this.places === undefined ? index * this.step : (this.places[index] ?? 0);
  }
}

/** Gives the elements of a value as another dtype: integers beyond 2^24 are rounded where floats are of 32 bits. */
export function castNumbers(value: Value, dtype: ValueDtype, make: MakeNumbers): Numbers {
  if (value.dtype === dtype) return value.data;
  const data = make(dtype, value.data.length);
  if (dtype === "float32") data.set(value.data);
  else for (const [index, number] of value.data.entries()) data[index] = castNumber(number, dtype);
  return data;
}

function castNumber(value: number, dtype: ValueDtype): number {
  if (dtype === "bool") return value === 0 ? 0 : 1;
  // Without a minus zero, which int64 does not have.
  return dtype === "int64" ? Math.trunc(value) + 0 : value;
}

const NONE: Value = { dtype: "bool", shape: [], data: Float64Array.of(0) };

function operandsOf(
  rule: ElementwiseRule,
  { values, result, make }: Evaluation,
): [StretchedOperand, StretchedOperand] {
  // Comparisons are made in the dtype that both sides are promoted to.
  const common = rule.dtype === "float" ? "float32" : (promoted(values) ?? "float32");
  const stretched = (value: Value): StretchedOperand =>
    new StretchedOperand(value, result.shape, common, make);
  const [first = NONE, second = NONE] = values;
  return [stretched(first), stretched(second)];
}
