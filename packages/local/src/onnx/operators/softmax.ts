import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";

/** Softmax over the last axis. */
export const softmax = (graph: GraphBuilder, value: Value) => overLastAxis(graph, "Softmax", value);

/** Logarithm of the softmax over the last axis, computed with the maximum subtracted. */
export const logSoftmax = (graph: GraphBuilder, value: Value) => overLastAxis(graph, "LogSoftmax", value);

function overLastAxis(graph: GraphBuilder, operator: string, value: Value): Value {
  const attributes = { axis: { int: -1 } };
  return graph.node({ operator, inputs: [value], attributes }, value.type, value.shape);
}
