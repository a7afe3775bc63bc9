import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";

/** The sum over the last axis, which stays with length 1. */
export const sumLastAxis = (graph: GraphBuilder, value: Value) => reduceAxis(graph, "ReduceSum", value, -1);

/** The mean over the last axis, which stays with length 1. */
export const meanLastAxis = (graph: GraphBuilder, value: Value) => reduceAxis(graph, "ReduceMean", value, -1);

/** The largest along the last axis, which stays with length 1. */
export const maxLastAxis = (graph: GraphBuilder, value: Value) => reduceAxis(graph, "ReduceMax", value, -1);

/** The sum of magnitudes along the last axis, which stays with length 1. */
export const sumMagnitudes = (graph: GraphBuilder, value: Value) => reduceAxis(graph, "ReduceL1", value, -1);

/** The sum over the axis before the last, time in `[rows, time, K]`, which stays with length 1. */
export const sumTimeAxis = (graph: GraphBuilder, value: Value) => reduceAxis(graph, "ReduceSum", value, -2);

function reduceAxis(graph: GraphBuilder, operator: string, value: Value, fromEnd: -1 | -2): Value {
  // Counted from the start: with one counted from the end, the runtime leaves the axis of a tensor without numbers as it is.
  const axis = value.shape.length + fromEnd;
  return graph.node(
    { operator, inputs: [value, graph.intVector([axis])] },
    value.type,
    value.shape.with(axis, 1),
  );
}
