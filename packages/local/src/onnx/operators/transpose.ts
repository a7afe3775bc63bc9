import { describeShape } from "../dimension.js";
import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";

/** Axis `i` of the result is axis `order[i]` of the value. */
export function transpose(graph: GraphBuilder, value: Value, order: readonly number[]): Value {
  if ([...order].sort((a, b) => a - b).some((axis, index) => axis !== index)) {
    throw new Error(`Transpose: order must name each axis once, got [${order.join(", ")}]`);
  }
  const shape = order.map((axis) => {
    const length = value.shape[axis];
    if (length === undefined || order.length !== value.shape.length) {
      throw new Error(`Transpose: [${order.join(", ")}] does not fit ${describeShape(value.shape)}`);
    }
    return length;
  });
  const attributes = { perm: { ints: order } };
  return graph.node({ operator: "Transpose", inputs: [value], attributes }, value.type, shape);
}
