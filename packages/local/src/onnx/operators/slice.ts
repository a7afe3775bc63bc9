import { describeShape } from "../dimension.js";
import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";

/** The first `length` numbers along the last axis. */
export function sliceLastAxis(graph: GraphBuilder, value: Value, length: number): Value {
  const whole = value.shape.at(-1);
  if (typeof whole !== "number" || whole < length) {
    throw new Error(`Slice: ${describeShape(value.shape)} must have at least ${length} columns`);
  }
  const inputs = [value, graph.intVector([0]), graph.intVector([length]), graph.intVector([-1])];
  return graph.node({ operator: "Slice", inputs }, value.type, [...value.shape.slice(0, -1), length]);
}
