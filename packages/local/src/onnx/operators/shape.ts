import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";

/** The lengths of all axes as a run finds them, an int64 vector. */
export function shapeOf(graph: GraphBuilder, value: Value): Value {
  return graph.node({ operator: "Shape", inputs: [value] }, "int64", [value.shape.length]);
}

/** The length of one axis as a run finds it, an int64 vector of length 1. */
export function lengthOf(graph: GraphBuilder, value: Value, axis: number): Value {
  const attributes = { start: { int: axis }, end: { int: axis + 1 } };
  return graph.node({ operator: "Shape", inputs: [value], attributes }, "int64", [1]);
}
