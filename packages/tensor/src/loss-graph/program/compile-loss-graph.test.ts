import { ValidationError } from "@tinkex/base";
import type { CustomLossNode } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import type { LossGraph } from "../loss-graph.js";
import { graphOf, method, node, output, placeholder, ref } from "../testing/graph-nodes.js";
import { compileLossGraph, MAX_NODES } from "./compile-loss-graph.js";

/** A loss that sums the results of `nodes` up, the last of which is named y. */
const summing = (...nodes: readonly CustomLossNode[]): LossGraph =>
  graphOf([
    placeholder("logprobs"),
    placeholder("w"),
    ...nodes,
    method("s", "sum", [ref("y")]),
    output(ref("s")),
  ]);

const compile = (graph: LossGraph) => () => compileLossGraph(graph, "createCustomLoss");
const product = node("y", "operator.mul", [ref("logprobs"), ref("w")]);

describe("compileLossGraph", () => {
  it("takes a graph in execution order", () => {
    const { instructions, loss, metrics } = compileLossGraph(summing(product), "createCustomLoss");
    expect(instructions.map(({ shown }) => shown)).toEqual(['node "y" (operator.mul)', 'node "s" (.sum)']);
    expect({ loss, metrics }).toEqual({ loss: 3, metrics: [] });
  });

  it.each<[string, LossGraph, string]>([
    [
      "an unknown function",
      summing(node("y", "torch.expp", [ref("logprobs")])),
      'node "y" (torch.expp): unknown operation "torch.expp", did you mean "torch.exp"?',
    ],
    [
      "a function of another module",
      summing(node("y", "os.system", [ref("logprobs")])),
      'node "y" (os.system): unknown operation "os.system"',
    ],
    [
      "an unknown method",
      summing(method("y", "cummax", [ref("logprobs")])),
      'node "y" (.cummax): unknown operation',
    ],
    [
      "a name that every object has",
      summing(method("y", "constructor", [ref("logprobs")])),
      'unknown operation "constructor"',
    ],
    [
      "item()",
      summing(method("y", "item", [ref("logprobs")])),
      'node "y" (.item): item() leaves the graph; keep every value, metrics included, as a tensor',
    ],
    ["backward()", summing(method("y", "backward", [ref("logprobs")])), "backward() leaves the graph"],
    [
      "a module",
      summing({ op: "call_module", name: "y", target: "linear", args: [ref("logprobs")] }),
      "call_module is not allowed",
    ],
    [
      "a captured tensor",
      summing({ op: "get_attr", name: "y", target: "_tensor_constant0" }),
      "get_attr is not allowed",
    ],
    [
      "an argument too many",
      summing(node("y", "torch.exp", [ref("logprobs"), 1])),
      'node "y" (torch.exp): takes at most 1 arguments, got 2',
    ],
    [
      "an unknown argument",
      summing(node("y", "torch.clamp", [ref("logprobs")], { mim: 0 })),
      'unknown argument "mim" (known: input, min, max)',
    ],
    [
      "an argument twice",
      summing(node("y", "torch.clamp", [ref("logprobs"), 0], { min: 1 })),
      'the argument "min" is there twice',
    ],
    [
      "an argument missing",
      summing(node("y", "operator.add", [ref("logprobs")])),
      'the argument "other" is missing',
    ],
    [
      "a string for a number",
      summing(node("y", "operator.add", [ref("logprobs"), "1"])),
      'the argument "other" must be the result of a node, or a number, got "1"',
    ],
    [
      "constants alone",
      summing(node("y", "operator.add", [1, 2])),
      "one operand must be the result of a node",
    ],
    [
      "a number where torch wants a tensor",
      summing(node("y", "torch.minimum", [ref("logprobs"), 0])),
      'the argument "other" must be the result of a node, got 0',
    ],
    [
      "a clamp without bounds",
      summing(node("y", "torch.clamp", [ref("logprobs")])),
      'one of the arguments "min" and "max" must be a number',
    ],
    [
      "a dtype that the wire does not have",
      summing(method("y", "to", [ref("logprobs"), { dtype: "float64" }])),
      'the argument "dtype" must be {"dtype": "float32"}, "int64" or "bool", got "float64"',
    ],
    [
      "a fraction for a dimension",
      summing(node("y", "torch.cumsum", [ref("logprobs"), 0.5])),
      'the argument "dim" must be an integer, got 0.5',
    ],
    [
      "a dimension that there is not",
      summing(node("y", "torch.cumsum", [ref("logprobs"), 1])),
      'node "y" (torch.cumsum): dim must be from -1 to 0 for 1 dimensions, got 1',
    ],
    [
      "max with a dimension",
      summing(node("y", "torch.max", [ref("logprobs")], { dim: 0 })),
      "takes no dim here; use amax",
    ],
    [
      "an index of too many dimensions",
      summing(node("y", "operator.getitem", [ref("logprobs"), { tuple: [0, 0] }])),
      "an index of 2 dimensions is too long for 1",
    ],
    [
      "a slice that runs backwards",
      summing(node("y", "operator.getitem", [ref("logprobs"), { slice: [null, null, -1] }])),
      "the step of a slice must be at least 1, got -1",
    ],
    [
      "a mask as an index",
      summing(
        node("g", "operator.gt", [ref("w"), 0]),
        node("y", "operator.getitem", [ref("logprobs"), ref("g")]),
      ),
      'the argument "index" must be an integer, got {"ref":"g"}',
    ],
    [
      "a condition that is no mask",
      summing(node("y", "torch.where", [ref("logprobs"), ref("w"), 0])),
      'node "y" (torch.where): the condition must be bool, got float32',
    ],
    [
      "arithmetic on two masks",
      summing(
        node("g", "operator.gt", [ref("w"), 0]),
        node("h", "operator.sub", [ref("g"), ref("g")]),
        node("y", "operator.mul", [ref("logprobs"), ref("h")]),
      ),
      'node "h" (operator.sub): is not defined for two bool operands',
    ],
    [
      "a mean of a mask",
      summing(
        node("g", "operator.gt", [ref("w"), 0]),
        method("m", "mean", [ref("g")]),
        node("y", "operator.mul", [ref("logprobs"), ref("m")]),
      ),
      'node "m" (.mean): is defined for float32 only, got bool',
    ],
    ["a name twice", summing(product, product), 'node "y" (operator.mul): the name is there twice'],
    [
      "a node that comes later",
      summing(node("a", "torch.exp", [ref("y")]), product),
      'node "a" (torch.exp): refers to "y", which is no earlier node',
    ],
    [
      "a node that refers to itself",
      summing(node("y", "torch.exp", [ref("y")])),
      'node "y" (torch.exp): refers to "y", which is no earlier node; nodes come in the order they run, without cycles',
    ],
    [
      "a reference to nothing",
      summing(node("y", "operator.add", [ref("logprobs"), ref("z")])),
      'refers to "z"',
    ],
  ])("names node and operation of %s", (_, graph, message) => {
    expect(compile(graph)).toThrow(ValidationError);
    expect(compile(graph)).toThrow(message);
    expect(compile(graph)).toThrow(/^createCustomLoss: loss "L": node "/);
  });

  it.each<[string, LossGraph, string]>([
    [
      "an input that nothing reads",
      summing(node("y", "torch.exp", [ref("logprobs")])),
      'the input "w" is never read',
    ],
    [
      "a loss of other inputs alone",
      summing(node("y", "operator.add", [ref("w"), 1])),
      'the input "logprobs" is never read',
    ],
    [
      "a loss without gradient",
      summing(
        node("g", "operator.gt", [ref("logprobs"), ref("w")]),
        node("y", "operator.mul", [ref("g"), ref("w")]),
      ),
      "the loss does not depend on logprobs, so that nothing would be learned",
    ],
    [
      "a loss of integers",
      summing(node("m", "operator.mul", [ref("logprobs"), ref("w")]), method("y", "long", [ref("m")])),
      "the loss does not depend on logprobs",
    ],
    [
      "a loss that was detached",
      summing(node("m", "operator.mul", [ref("logprobs"), ref("w")]), method("y", "detach", [ref("m")])),
      "the loss does not depend on logprobs",
    ],
    [
      "a loss that is no scalar",
      graphOf([placeholder("logprobs"), node("y", "torch.exp", [ref("logprobs")]), output(ref("y"))]),
      'node "y" (torch.exp): the loss must be a scalar, got shape [?]; end with .sum() or .mean()',
    ],
    [
      "no output",
      graphOf([placeholder("logprobs"), method("s", "sum", [ref("logprobs")])]),
      "one output must come last",
    ],
    ["nothing behind the inputs", graphOf([placeholder("logprobs")]), "one output must come last"],
    [
      "no nodes at all",
      graphOf([], [{ name: "logprobs", rank: 1 }]),
      "one output must come last, got no output",
    ],
    [
      "an output in the midst",
      graphOf([
        placeholder("logprobs"),
        output(ref("logprobs")),
        method("s", "sum", [ref("logprobs")]),
        output(ref("s")),
      ]),
      "one output must come last",
    ],
    [
      "a placeholder behind other nodes",
      graphOf([
        placeholder("logprobs"),
        node("y", "torch.exp", [ref("logprobs")]),
        placeholder("w"),
        output(ref("y")),
      ]),
      "the nodes must begin with one placeholder for each input, in their order (logprobs, w)",
    ],
    [
      "a placeholder of no input",
      graphOf([placeholder("logprobs"), placeholder("w"), output(ref("w"))], [{ name: "logprobs", rank: 1 }]),
      "one placeholder for each input",
    ],
    [
      "inputs in another order",
      graphOf(
        [placeholder("logprobs"), placeholder("w"), output(ref("w"))],
        [
          { name: "logprobs", rank: 1 },
          { name: "v", rank: 1 },
        ],
      ),
      "in their order (logprobs, v)",
    ],
    [
      "a loss alone",
      graphOf([
        placeholder("logprobs"),
        { op: "output", name: "output", target: "output", args: [ref("logprobs")] },
      ]),
      'node "output" (output): must return a pair: the loss, and the metrics by name',
    ],
    [
      "metrics that are a list",
      graphOf([
        placeholder("logprobs"),
        { op: "output", name: "output", target: "output", args: [{ tuple: [ref("logprobs"), []] }] },
      ]),
      'must return its metrics as {"dict": {…}}',
    ],
    [
      "a constant loss",
      graphOf([placeholder("logprobs"), output(1)]),
      "the loss must be the result of a node, not a constant",
    ],
    [
      "too many nodes",
      summing(
        ...Array.from({ length: MAX_NODES }, (_, index) => node(`n${index}`, "torch.exp", [ref("w")])),
        product,
      ),
      "a graph may have 4096 nodes, got 4101",
    ],
    [
      "a value of too many dimensions",
      summing(node("y", "operator.getitem", [ref("logprobs"), { tuple: new Array<null>(8).fill(null) }])),
      'node "y" (operator.getitem): gives 9 dimensions, and may have 8',
    ],
  ])("refuses %s", (_, graph, message) => {
    expect(compile(graph)).toThrow(ValidationError);
    expect(compile(graph)).toThrow(message);
  });

  it.each([undefined, null, 5, "graph", [], {}, { name: "L", inputs: [], graph: undefined }, () => 1])(
    "refuses %j in place of a graph",
    (graph) => {
      expect(() => compileLossGraph(graph as never, "createCustomLoss")).toThrow(ValidationError);
      expect(() => compileLossGraph(graph as never, "createCustomLoss")).toThrow(/^createCustomLoss: /);
    },
  );
});
