import type { BoundArguments } from "./bound-arguments.js";
import type { ExactType, ValueType } from "./value-type.js";

/** Fault of one operation of a graph, in words without its place: who runs the operation knows node, graph and datum. */
export class OperationFault extends Error {
  override readonly name = "OperationFault";
}

/** Elements of a value. bool (0 and 1) and int64 (safe integers) are kept in doubles. */
export type Numbers = Float32Array | Float64Array;

/** A tensor while a graph runs, row-major. */
export interface Value extends ExactType {
  readonly data: Numbers;
}

/** Makes the array of a value: of 32-bit floats as torch has them, or of doubles where gradients are checked. */
export type MakeNumbers = (dtype: ExactType["dtype"], count: number) => Numbers;

/** One run of an operation. */
export interface Evaluation {
  readonly values: readonly Value[];
  /** Zeros, to be filled. */
  readonly result: Value;
  readonly make: MakeNumbers;
}

/** One run of an operation backwards. */
export interface Differentiation extends Evaluation {
  /** d loss / d result. */
  readonly gradient: Float64Array;
  /** d loss / d operand, to be added to; `undefined` for operands whose gradient nobody wants. One array may stand for two operands. */
  readonly into: readonly (Float64Array | undefined)[];
}

/** An operation with its arguments. */
export interface BoundOperation {
  /** Gives the type of the result. @throws OperationFault for types that do not fit */
  typeOf(types: readonly ValueType[]): ValueType;
  evaluate(run: Evaluation): void;
  /** Adds the gradients of the operands. Absent where the result does not depend smoothly on any. */
  readonly differentiate?: ((run: Differentiation) => void) | undefined;
}

/** One operation of torch, as far as a loss graph may use it. */
export interface Operation {
  /** Names of its parameters, in the order of positional arguments. */
  readonly parameters: readonly string[];
  /** The last parameter may be given as any number of positional arguments, as in `x.reshape(2, -1)`. */
  readonly isVariadic?: true;
  /** Reads the arguments. @throws OperationFault */
  bind(args: BoundArguments): BoundOperation;
}
