import type { GraphParts, NodeSpec } from "./onnx-graph.js";
import type { Value } from "./value.js";

/** Keeps the nodes, inputs and initializers on which `outputs` depend. */
export function pruneGraph(parts: GraphParts, outputs: readonly Value[]): GraphParts {
  const needed = new Set(outputs.map((value) => value.name));
  const nodes: NodeSpec[] = [];
  for (const node of [...parts.nodes].reverse()) {
    if (!node.outputs.some(({ name }) => needed.has(name))) continue;
    nodes.push(node);
    for (const name of node.inputs) needed.add(name);
  }
  return {
    inputs: parts.inputs.filter((value) => needed.has(value.name)),
    initializers: parts.initializers.filter((value) => needed.has(value.name)),
    nodes: nodes.reverse(),
  };
}
