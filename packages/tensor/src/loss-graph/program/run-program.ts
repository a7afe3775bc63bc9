import { type MakeNumbers, OperationFault, type Value } from "../operations/operation.js";
import type { ExactType, ValueType } from "../operations/value-type.js";
import { exactShape } from "../operations/view.js";
import { atNode } from "./infer-types.js";
import type { Instruction, LossProgram } from "./loss-program.js";

/** Results of a program for one datum. */
export interface ProgramResult {
  readonly loss: number;
  /** d loss / d logprobs, in their shape. */
  readonly gradient: Float64Array;
  /** Values of the metrics, in the program's order. */
  readonly metrics: readonly number[];
}

/** Makes arrays as torch has them: floats of 32 bits; integers and masks in doubles, which hold both exactly. */
export const make32BitNumbers: MakeNumbers = (dtype, count) =>
  dtype === "float32" ? new Float32Array(count) : new Float64Array(count);

/**
 * Runs a program for one datum, forwards and backwards.
 *
 * @param types - of all values, as `inferTypes` gives them for the inputs
 * @param inputs - the data of the inputs, row-major
 * @param place - begins messages: the method, the loss and the datum
 * @throws ValidationError for an integer that int64 cannot hold here
 */
export function runProgram(
  program: LossProgram,
  types: readonly ValueType[],
  inputs: readonly ArrayLike<number>[],
  place: string,
  make: MakeNumbers = make32BitNumbers,
): ProgramResult {
  const values = inputs.map((data, index) => inputValue(exactType(types[index]), data, make));
  for (const instruction of program.instructions) {
    values.push(
      atNode(instruction, place, () => evaluate(instruction, values, exactType(types[values.length]), make)),
    );
  }
  return {
    loss: values[program.loss]?.data[0] ?? Number.NaN,
    gradient: differentiate(program, values, make),
    metrics: program.metrics.map(([, value]) => values[value]?.data[0] ?? Number.NaN),
  };
}

function inputValue(type: ExactType, numbers: ArrayLike<number>, make: MakeNumbers): Value {
  const data = make(type.dtype, numbers.length);
  data.set(numbers);
  return { ...type, data };
}

function evaluate(
  { operands, operation }: Instruction,
  values: readonly Value[],
  type: ExactType,
  make: MakeNumbers,
): Value {
  const count = type.shape.reduce((product, size) => product * size, 1);
  const result: Value = { ...type, data: make(type.dtype, count) };
  operation.evaluate({ values: operandsOf(operands, values, make), result, make });
  if (type.dtype === "int64") checkIntegers(result);
  return result;
}

/** Refuses what int64 cannot hold, and integers that doubles cannot: they would go on as other numbers. */
function checkIntegers({ data }: Value): void {
  const index = data.findIndex((value) => !Number.isSafeInteger(value));
  if (index === -1) return;
  throw new OperationFault(
    `gives ${data[index]} at index ${index}, which must be an integer within 2^53; cast with .to("float32") first`,
  );
}

function operandsOf(operands: Instruction["operands"], values: readonly Value[], make: MakeNumbers): Value[] {
  return operands.flatMap((operand) => {
    if (typeof operand !== "number") return inputValue(operand, operand.data, make);
    return values[operand] ?? [];
  });
}

function differentiate(program: LossProgram, values: readonly Value[], make: MakeNumbers): Float64Array {
  const gradients = new Map<number, Float64Array>([[program.loss, Float64Array.of(1)]]);
  const inputCount = program.inputs.length;
  const wants = (value: number): boolean =>
    value === 0 || (program.instructions[value - inputCount]?.needsGradient ?? false);
  const gradientOf = (value: number): Float64Array => {
    const known = gradients.get(value);
    if (known !== undefined) return known;
    const made = new Float64Array(values[value]?.data.length ?? 0);
    gradients.set(value, made);
    return made;
  };
  for (const [index, { operands, operation }] of [...program.instructions.entries()].reverse()) {
    const result = values[inputCount + index];
    const gradient = gradients.get(inputCount + index);
    if (result === undefined || gradient === undefined || operation.differentiate === undefined) continue;
    const into = operands.map((operand) =>
      typeof operand === "number" && wants(operand) ? gradientOf(operand) : undefined,
    );
    operation.differentiate({ values: operandsOf(operands, values, make), result, gradient, into, make });
    // Nobody reads it again.
    gradients.delete(inputCount + index);
  }
  return gradientOf(0);
}

function exactType(type: ValueType | undefined): ExactType {
  const { dtype = "float32", shape = [] } = type ?? {};
  return { dtype, shape: exactShape(shape) };
}
