import { describeShape, sameShape } from "../dimension.js";
import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";

/** Rows of a matrix by number: `[n, width]` at `[...]` gives `[..., width]`. */
export function gatherRows(graph: GraphBuilder, matrix: Value, indices: Value): Value {
  const shape = [...indices.shape, ...matrix.shape.slice(1)];
  return graph.node({ operator: "Gather", inputs: [matrix, indices] }, matrix.type, shape);
}

/** A copy of a matrix with rows put in the place of those with the given numbers, int64 `[k]`, each at most once. */
export function scatterRows(graph: GraphBuilder, matrix: Value, indices: Value, rows: Value): Value {
  const [count = 0] = indices.shape;
  const places = graph.node(
    { operator: "Unsqueeze", inputs: [indices, graph.intVector([-1])] },
    indices.type,
    [count, 1],
  );
  return graph.node({ operator: "ScatterND", inputs: [matrix, places, rows] }, matrix.type, matrix.shape);
}

/** Along the last axis: `result[..., k] = value[..., indices[..., k]]`. */
export function gatherLastAxis(graph: GraphBuilder, value: Value, indices: Value): Value {
  checkLeadingAxes("GatherElements", value, indices);
  const attributes = { axis: { int: -1 } };
  return graph.node(
    { operator: "GatherElements", inputs: [value, indices], attributes },
    value.type,
    indices.shape,
  );
}

/** Along the last axis: a copy of `value` with `updates[..., k]` added at `indices[..., k]`; repeated indices add up. */
export function scatterAddLastAxis(graph: GraphBuilder, value: Value, indices: Value, updates: Value): Value {
  checkLeadingAxes("ScatterElements", value, indices);
  if (!sameShape(indices.shape, updates.shape)) {
    throw new Error(
      `ScatterElements: ${describeShape(updates.shape)} updates for ${describeShape(indices.shape)} indices`,
    );
  }
  const attributes = { axis: { int: -1 }, reduction: { string: "add" } };
  return graph.node(
    { operator: "ScatterElements", inputs: [value, indices, updates], attributes },
    value.type,
    value.shape,
  );
}

function checkLeadingAxes(operator: string, value: Value, indices: Value): void {
  if (!sameShape(value.shape.slice(0, -1), indices.shape.slice(0, -1))) {
    throw new Error(
      `${operator}: indices ${describeShape(indices.shape)} do not fit ${describeShape(value.shape)}`,
    );
  }
}
