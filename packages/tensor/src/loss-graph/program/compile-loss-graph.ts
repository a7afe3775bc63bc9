import { nearestName, ValidationError } from "@tinkex/base";
import {
  type CustomLossInput,
  type CustomLossNode,
  checkSent,
  createCustomLossRequestSchema,
} from "@tinkex/types";
import type { LossGraph } from "../loss-graph.js";
import { BoundArguments } from "../operations/bound-arguments.js";
import { type Operation, OperationFault } from "../operations/operation.js";
import { FUNCTIONS, METHODS } from "../operations/operation-table.js";
import type { ValueType } from "../operations/value-type.js";
import { atNode, inferTypes } from "./infer-types.js";
import type { Instruction, LossProgram } from "./loss-program.js";
import { readOutput } from "./read-output.js";

/** Nodes that a graph may have: a loss has dozens. */
export const MAX_NODES = 4096;

/** Methods that leave the graph: they give numbers of Python, or run the gradient themselves. */
const HOST_METHODS: readonly string[] = ["backward", "item", "numpy", "tolist"];

/** A node while a graph is compiled. */
interface PlacedNode extends Pick<Instruction, "shown" | "nodeIndex"> {
  readonly node: CustomLossNode;
}

/**
 * Checks a loss graph, and makes it ready to be run here.
 *
 * @param method - the method as its caller spells it
 * @throws ValidationError naming node and operation
 */
export function compileLossGraph(graph: LossGraph, method: string): LossProgram {
  checkLossRecord(graph, method);
  const { name, inputs } = graph;
  const place = `${method}: loss "${name}"`;
  const nodes = graph.graph.nodes.map((node, nodeIndex) => ({ node, nodeIndex, shown: describeNode(node) }));
  if (nodes.length > MAX_NODES) {
    throw new ValidationError(`${place}: a graph may have ${MAX_NODES} nodes, got ${nodes.length}`, {
      path: ["graph", "nodes"],
    });
  }
  checkOrder(nodes, inputs, place);
  const values = new Map(inputs.map((input, index) => [nodes[index]?.node.name ?? input.name, index]));
  const instructions: Instruction[] = [];
  for (const placed of nodes.slice(inputs.length, -1)) {
    const instruction = atNode(placed, place, () => {
      if (values.has(placed.node.name))
        throw new OperationFault("the name is there twice; names must be unique");
      return instructionOf(placed, values, (value) => dependsOnLogprobs(value, inputs.length, instructions));
    });
    values.set(placed.node.name, inputs.length + instructions.length);
    instructions.push(instruction);
  }
  const output = nodes.at(-1) as PlacedNode;
  const results = atNode(output, place, () => readOutput(output.node, (ref) => valueNumberOf(ref, values)));
  const program: LossProgram = { name, inputs, instructions, ...results };
  inferTypes(program, inputs.map(declaredType), place);
  checkUse(program, place);
  return program;
}

/**
 * Checks the form of a graph, operations apart: the record of the request that uploads it holds the rules.
 *
 * @throws ValidationError
 */
export function checkLossRecord(graph: LossGraph, method: string): void {
  if (typeof graph !== "object" || graph === null || !("graph" in graph) || !("inputs" in graph)) {
    throw new ValidationError(
      `${method}: the loss must be a graph, { name, inputs, graph }; build one with lossGraph(name, ranks, build)`,
      { path: ["loss"] },
    );
  }
  const { name, inputs, graph: nodes } = graph;
  checkSent(
    createCustomLossRequestSchema,
    { session_id: "not sent yet", custom_loss_seq_id: 0, name, inputs, graph: nodes },
    method,
  );
}

/** Checks that there is a placeholder for each input, in their order and first, and one output, which is last. */
function checkOrder(nodes: readonly PlacedNode[], inputs: readonly CustomLossInput[], place: string): void {
  const names = inputs.map(({ name }) => name).join(", ");
  const refuse = (placed: PlacedNode | undefined, message: string): never => {
    const [shown, path] = placed ? [`: ${placed.shown}`, placed.nodeIndex] : ["", nodes.length];
    throw new ValidationError(`${place}${shown}: ${message}`, { path: ["graph", "nodes", path] });
  };
  for (const [index, placed] of nodes.entries()) {
    const { op, target } = placed.node;
    const isInput = index < inputs.length;
    if (isInput !== (op === "placeholder") || (isInput && target !== inputs[index]?.name)) {
      refuse(placed, `the nodes must begin with one placeholder for each input, in their order (${names})`);
    }
    if ((op === "output") !== (index === nodes.length - 1)) refuse(placed, "one output must come last");
  }
  if (nodes.length <= inputs.length) refuse(undefined, "one output must come last, got no output");
}

function instructionOf(
  { node, shown, nodeIndex }: PlacedNode,
  values: ReadonlyMap<string, number>,
  needsGradientOf: (value: number) => boolean,
): Instruction {
  const operation = operationOf(node);
  const args = new BoundArguments(node, operation, (ref) => valueNumberOf(ref, values));
  const bound = operation.bind(args);
  args.checkAllRead();
  const { operands } = args;
  const dependsOnLogprobs = operands.some(
    (operand) => typeof operand === "number" && needsGradientOf(operand),
  );
  const needsGradient = dependsOnLogprobs && bound.differentiate !== undefined;
  return { operands, operation: bound, shown, nodeIndex, needsGradient };
}

/** @throws OperationFault for an operation that there is not, with the one that was probably meant */
function operationOf({ op, target }: CustomLossNode): Operation {
  if (op === "call_module" || op === "get_attr") {
    throw new OperationFault(
      `${op} is not allowed: a loss reads its inputs alone, and calls functions and methods`,
    );
  }
  const table = op === "call_function" ? FUNCTIONS : METHODS;
  const operation = table.get(target);
  if (operation !== undefined) return operation;
  if (op === "call_method" && HOST_METHODS.includes(target)) {
    throw new OperationFault(`${target}() leaves the graph; keep every value, metrics included, as a tensor`);
  }
  const nearest = nearestName(target, [...table.keys()]);
  const advice =
    nearest === undefined ? "see the list of operations in the README" : `did you mean "${nearest}"?`;
  throw new OperationFault(`unknown operation "${target}", ${advice}`);
}

function valueNumberOf(ref: string, values: ReadonlyMap<string, number>): number {
  const value = values.get(ref);
  if (value !== undefined) return value;
  throw new OperationFault(
    `refers to "${ref}", which is no earlier node; nodes come in the order they run, without cycles`,
  );
}

function dependsOnLogprobs(value: number, inputCount: number, instructions: readonly Instruction[]): boolean {
  return value === 0 || (instructions[value - inputCount]?.needsGradient ?? false);
}

/** Checks that every input is read, and that the loss has a gradient. */
function checkUse({ inputs, instructions, loss, metrics }: LossProgram, place: string): void {
  const read = new Set<unknown>([loss, ...metrics.map(([, value]) => value)]);
  for (const { operands } of instructions) for (const operand of operands) read.add(operand);
  const unread = inputs.findIndex((_, index) => !read.has(index));
  if (unread !== -1) {
    throw new ValidationError(
      `${place}: the input "${inputs[unread]?.name}" is never read; take it out of the inputs, as every datum would need it`,
      { path: ["inputs", unread] },
    );
  }
  if (!dependsOnLogprobs(loss, inputs.length, instructions)) {
    throw new ValidationError(
      `${place}: the loss does not depend on logprobs, so that nothing would be learned; comparisons, casts to integers and detach() pass no gradient on`,
      { path: ["graph"] },
    );
  }
}

/** The type of an input as far as its declaration tells. */
function declaredType({ name, rank }: CustomLossInput): ValueType {
  const dtype = name === "logprobs" ? "float32" : undefined;
  return { dtype, shape: new Array<undefined>(rank).fill(undefined) };
}

function describeNode({ name, op, target }: CustomLossNode): string {
  return `node "${name}" (${op === "call_method" ? `.${target}` : target})`;
}
