import { ValidationError } from "@tinkex/base";
import type { CustomLossInput } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import type { LossGraph } from "../loss-graph.js";
import { graphOf, method, node, output, placeholder, ref } from "../testing/graph-nodes.js";
import { compileLossGraph } from "./compile-loss-graph.js";

const compile = (graph: LossGraph) => () => compileLossGraph(graph, "createCustomLoss");

describe("inputs and metrics of a graph", () => {
  const withMetric = (name: string): LossGraph =>
    graphOf([
      placeholder("logprobs"),
      method("s", "sum", [ref("logprobs")]),
      output(ref("s"), { [name]: ref("s") }),
    ]);

  it.each([
    "x",
    "loss:sum",
    "custom/X:sum",
    "custom/x:max",
    "custom/:sum",
    "custom/x",
    `custom/${"a".repeat(65)}:sum`,
    "custom/a:sum:sum",
    "custom/a:sum\n",
  ])("newest-wire 30, newest-clients 30: refuses the metric %j", (name) => {
    expect(compile(withMetric(name))).toThrow("must be named custom/<name>:sum or custom/<name>:mean");
  });

  it.each(["custom/a:sum", `custom/${"a".repeat(64)}:mean`, "custom/b.c/d-e_f:mean"])(
    "newest-wire 30, newest-clients 30: takes the metric %j",
    (name) => {
      expect(compileLossGraph(withMetric(name), "m").metrics).toEqual([[name, 1]]);
    },
  );

  it("refuses a metric of more than one number", () => {
    const nodes = [
      placeholder("logprobs"),
      method("s", "sum", [ref("logprobs")]),
      node("pair", "torch.stack", [[ref("s"), ref("s")]]),
      output(ref("s"), { "custom/pair:sum": ref("pair") }),
    ];
    expect(compile(graphOf(nodes))).toThrow(
      'the metric "custom/pair:sum" must be one number, got shape [2]; end with .sum() or .mean()',
    );
  });

  const inputsOf = (count: number): CustomLossInput[] =>
    Array.from({ length: count }, (_, index) => ({ name: index === 0 ? "logprobs" : `p${index}`, rank: 1 }));
  const addingAll = (inputs: readonly CustomLossInput[]): LossGraph =>
    graphOf(
      [
        ...inputs.map(({ name }) => placeholder(name)),
        node("c", "torch.cat", [inputs.map(({ name }) => ref(name))]),
        method("s", "sum", [ref("c")]),
        output(ref("s")),
      ],
      inputs,
    );

  it("newest-wire 30, newest-clients 30: takes 16 inputs, and refuses 17", () => {
    expect(compileLossGraph(addingAll(inputsOf(16)), "m").inputs).toHaveLength(16);
    expect(compile(addingAll(inputsOf(17)))).toThrow("createCustomLoss: inputs");
  });

  it.each<[string, readonly CustomLossInput[], string]>([
    ["another first input", [{ name: "w", rank: 1 }], "must begin with logprobs of rank 1 or 2"],
    ["a scalar for logprobs", [{ name: "logprobs", rank: 0 }], "must begin with logprobs of rank 1 or 2"],
    ["rank 3", [...inputsOf(1), { name: "w", rank: 3 as 2 }], "inputs[1].rank"],
    ["a name with a capital", [...inputsOf(1), { name: "W", rank: 1 }], "inputs[1].name"],
    ["a name twice", [...inputsOf(2), ...inputsOf(2).slice(1)], '"p1" is there twice'],
  ])("newest-wire 30: refuses %s", (_, inputs, message) => {
    expect(compile(addingAll(inputs))).toThrow(ValidationError);
    expect(compile(addingAll(inputs))).toThrow(message);
  });
});
