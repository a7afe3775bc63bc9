import type { CustomLossInput } from "@tinkex/types";
import type { Operand } from "../operations/bound-arguments.js";
import type { BoundOperation } from "../operations/operation.js";

/** One node of a graph that computes something. */
export interface Instruction {
  readonly operands: readonly Operand[];
  readonly operation: BoundOperation;
  /** The node as messages call it: `node "mul" (operator.mul)`. */
  readonly shown: string;
  /** Its place in the graph's list of nodes, for the path of errors. */
  readonly nodeIndex: number;
  /** The result depends smoothly on the log-probabilities. */
  readonly needsGradient: boolean;
}

/** A loss graph that was checked and can be run: values are numbered, inputs first, then the instructions in their order. */
export interface LossProgram {
  readonly name: string;
  readonly inputs: readonly CustomLossInput[];
  readonly instructions: readonly Instruction[];
  /** Number of the value that is the loss. */
  readonly loss: number;
  /** Metrics by name, and the number of the value of each. */
  readonly metrics: readonly (readonly [name: string, value: number])[];
}
