import { ValidationError } from "@tinkex/base";
import type { Operand } from "../operations/bound-arguments.js";
import { OperationFault } from "../operations/operation.js";
import {
  describeShape,
  elementCount,
  MAX_ELEMENTS,
  MAX_RANK,
  type ValueType,
} from "../operations/value-type.js";
import type { Instruction, LossProgram } from "./loss-program.js";

/**
 * Gives the type of every value of a program, as far as the types of the inputs tell.
 *
 * @param place - begins messages: the method, the loss and the datum
 * @throws ValidationError naming node and operation
 */
export function inferTypes(
  program: LossProgram,
  inputs: readonly ValueType[],
  place: string,
): readonly ValueType[] {
  const types: ValueType[] = [...inputs];
  for (const instruction of program.instructions) {
    types.push(atNode(instruction, place, () => typeOf(instruction, types)));
  }
  checkResults(program, types, place);
  return types;
}

function typeOf({ operands, operation }: Instruction, types: readonly ValueType[]): ValueType {
  const type = operation.typeOf(operands.map((operand) => operandType(operand, types)));
  if (type.shape.length > MAX_RANK) {
    throw new OperationFault(`gives ${type.shape.length} dimensions, and may have ${MAX_RANK}`);
  }
  const count = elementCount(type.shape);
  if (count !== undefined && count > MAX_ELEMENTS) {
    throw new OperationFault(
      `gives ${count} elements (shape ${describeShape(type.shape)}), and may have ${MAX_ELEMENTS}`,
    );
  }
  return type;
}

function operandType(operand: Operand, types: readonly ValueType[]): ValueType {
  return typeof operand === "number" ? (types[operand] ?? { dtype: undefined, shape: [] }) : operand;
}

function checkResults(
  { loss, metrics, inputs, instructions }: LossProgram,
  types: readonly ValueType[],
  place: string,
): void {
  const shape = types[loss]?.shape ?? [];
  if (shape.length > 0) {
    const { shown, nodeIndex } = instructions[loss - inputs.length] ?? { shown: "the loss", nodeIndex: 0 };
    throw new ValidationError(
      `${place}: ${shown}: the loss must be a scalar, got shape ${describeShape(shape)}; end with .sum() or .mean()`,
      { path: ["graph", "nodes", nodeIndex] },
    );
  }
  for (const [name, value] of metrics) {
    const size = elementCount(types[value]?.shape ?? []);
    if (size === undefined || size === 1) continue;
    throw new ValidationError(
      `${place}: the metric "${name}" must be one number, got shape ${describeShape(types[value]?.shape ?? [])}; end with .sum() or .mean()`,
      { path: ["metrics", name] },
    );
  }
}

/** Runs a part of an instruction, and gives its faults their place. */
export function atNode<T>(
  { shown, nodeIndex }: Pick<Instruction, "shown" | "nodeIndex">,
  place: string,
  run: () => T,
): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof OperationFault)) throw error;
    throw new ValidationError(`${place}: ${shown}: ${error.message}`, {
      path: ["graph", "nodes", nodeIndex],
      cause: error,
    });
  }
}
