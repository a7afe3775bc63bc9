import { type Dimension, describeShape } from "../dimension.js";
import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";
import { subtract } from "./elementwise.js";
import { shapeOf } from "./shape.js";
import { joinFirstAxis } from "./split.js";

/** Zeros in the type and shape of a float32 value, whatever its numbers are. */
export function zerosLike(graph: GraphBuilder, value: Value): Value {
  if (value.type !== "float32") throw new Error(`ConstantOfShape: must be like float32, got ${value.type}`);
  return graph.node(
    { operator: "ConstantOfShape", inputs: [shapeOf(graph, value)] },
    value.type,
    value.shape,
  );
}

/** `value` with zeros behind it along its last axis, up to a length that only a run knows. */
export function padLastAxis(
  graph: GraphBuilder,
  value: Value,
  from: Value,
  to: { readonly value: Value; readonly length: Dimension },
): Value {
  const axes = value.shape.length;
  if (axes === 0) throw new Error(`Pad: ${value.name} has no axes, got ${describeShape(value.shape)}`);
  // ONNX: how many at the start of each axis, then how many at the end of each.
  const none = graph.intVector(Array.from({ length: 2 * axes - 1 }, () => 0));
  const pads = joinFirstAxis(graph, [none, subtract(graph, to.value, from)]);
  return graph.node({ operator: "Pad", inputs: [value, pads] }, value.type, value.shape.with(-1, to.length));
}
