import type { CustomLossInput, CustomLossNode, GraphValue } from "@tinkex/types";
import type { LossGraph } from "../loss-graph.js";

export const ref = (name: string): GraphValue => ({ ref: name });
export const node = (
  name: string,
  target: string,
  args: readonly GraphValue[],
  kwargs: CustomLossNode["kwargs"] = {},
): CustomLossNode => ({ op: "call_function", name, target, args, kwargs });
export const method = (name: string, target: string, args: readonly GraphValue[]): CustomLossNode => ({
  op: "call_method",
  name,
  target,
  args,
});
export const placeholder = (name: string): CustomLossNode => ({ op: "placeholder", name, target: name });
export const output = (
  loss: GraphValue,
  metrics: Readonly<Record<string, GraphValue>> = {},
): CustomLossNode => ({
  op: "output",
  name: "output",
  target: "output",
  args: [{ tuple: [loss, { dict: metrics }] }],
});

/** A graph whose inputs have rank 1 unless they are given. */
export function graphOf(nodes: readonly CustomLossNode[], inputs?: readonly CustomLossInput[]): LossGraph {
  const names = nodes.filter(({ op }) => op === "placeholder").map(({ target }) => target);
  return { name: "L", inputs: inputs ?? names.map((name) => ({ name, rank: 1 })), graph: { nodes } };
}
