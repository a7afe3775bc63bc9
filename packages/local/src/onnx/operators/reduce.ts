import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";

/** The sum over the last axis, which stays with length 1. */
export const sumLastAxis = (graph: GraphBuilder, value: Value) => reduceLastAxis(graph, "ReduceSum", value);

/** The mean over the last axis, which stays with length 1. */
export const meanLastAxis = (graph: GraphBuilder, value: Value) => reduceLastAxis(graph, "ReduceMean", value);

/** The largest along the last axis, which stays with length 1. */
export const maxLastAxis = (graph: GraphBuilder, value: Value) => reduceLastAxis(graph, "ReduceMax", value);

/** The sum over the axis before the last, time in `[rows, time, K]`, which stays with length 1. */
export function sumTimeAxis(graph: GraphBuilder, value: Value): Value {
  const shape = value.shape.map((size, axis) => (axis === value.shape.length - 2 ? 1 : size));
  return graph.node({ operator: "ReduceSum", inputs: [value, graph.intVector([-2])] }, value.type, shape);
}

function reduceLastAxis(graph: GraphBuilder, operator: string, value: Value): Value {
  return graph.node({ operator, inputs: [value, graph.intVector([-1])] }, value.type, [
    ...value.shape.slice(0, -1),
    1,
  ]);
}
