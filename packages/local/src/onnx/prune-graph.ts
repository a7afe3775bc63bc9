import type { GraphBody, GraphParts, NodeSpec } from "./onnx-graph.js";
import type { Value } from "./value.js";

/** Keeps the nodes, inputs and initializers on which `outputs` depend. */
export function pruneGraph(parts: GraphParts, outputs: readonly Value[]): GraphParts {
  const { nodes, needed } = pruneNodes(parts.nodes, outputs);
  return {
    inputs: parts.inputs.filter((value) => needed.has(value.name)),
    initializers: parts.initializers.filter((value) => needed.has(value.name)),
    nodes,
  };
}

/** Keeps the nodes of a loop's body on which its outputs depend. Its inputs stay: a loop gives them by their places. */
export function pruneBody(body: GraphBody): GraphBody {
  return { ...body, nodes: pruneNodes(body.nodes, body.outputs).nodes };
}

function pruneNodes(nodes: readonly NodeSpec[], outputs: readonly Value[]) {
  const needed = new Set(outputs.map((value) => value.name));
  const kept: NodeSpec[] = [];
  for (const node of [...nodes].reverse()) {
    if (!node.outputs.some(({ name }) => needed.has(name))) continue;
    kept.push(node);
    for (const name of readNames(node)) needed.add(name);
  }
  return { nodes: kept.reverse(), needed };
}

/** Every name that a node or its body reads, those that the body gives itself among them: they are nowhere else. */
export function readNames({ inputs, body }: NodeSpec): readonly string[] {
  return body === undefined ? inputs : [...inputs, ...body.nodes.flatMap(readNames)];
}
