import { type Dimension, describeShape } from "../dimension.js";
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

/** Places along an axis that only a run knows, int64 vectors of length 1; `length` is how many. */
export interface Span {
  readonly start: Value;
  readonly end: Value;
  readonly length: Dimension;
}

/** The numbers of a span along one axis, counted from 0. */
export function sliceSpan(graph: GraphBuilder, value: Value, axis: number, span: Span): Value {
  const inputs = [value, span.start, span.end, graph.intVector([axis])];
  return graph.node({ operator: "Slice", inputs }, value.type, value.shape.with(axis, span.length));
}
