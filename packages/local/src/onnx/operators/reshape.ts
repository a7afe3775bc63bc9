import { type Dimension, describeShape, multiplyDimensions, type Shape, sameShape } from "../dimension.js";
import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";
import { shapeOf } from "./shape.js";

/**
 * The same numbers in another shape. A length known only at run time can be kept on its axis, and one such length may be
 * new.
 */
export function reshape(graph: GraphBuilder, value: Value, shape: Shape): Value {
  if (multiplyDimensions(...value.shape) !== multiplyDimensions(...shape)) {
    throw new Error(`Reshape: ${describeShape(value.shape)} and ${describeShape(shape)} differ in size`);
  }
  if (sameShape(value.shape, shape)) return value;
  let free = 1;
  const target = shape.map((dimension: Dimension, axis) => {
    if (typeof dimension === "number") return dimension;
    // ONNX: 0 keeps the length of the same axis, -1 is what remains.
    if (dimension === value.shape[axis]) return 0;
    free -= 1;
    return -1;
  });
  if (free < 0) {
    throw new Error(
      `Reshape: ${describeShape(value.shape)} to ${describeShape(shape)} leaves two lengths open; keep one on its axis`,
    );
  }
  return graph.node({ operator: "Reshape", inputs: [value, graph.intVector(target)] }, value.type, shape);
}

/** All axes but the last in one: `[rows, time, width]` to `[rows*time, width]`. */
export function flattenRows(graph: GraphBuilder, value: Value): Value {
  const width = value.shape.at(-1);
  if (width === undefined) throw new Error(`Reshape: ${value.name} has no axes`);
  if (value.shape.length === 2) return value;
  const attributes = { axis: { int: -1 } };
  const rows = multiplyDimensions(...value.shape.slice(0, -1));
  return graph.node({ operator: "Flatten", inputs: [value], attributes }, value.type, [rows, width]);
}

/** The same numbers in the shape of another value, as a run finds it, so that several lengths may be open. */
export function reshapeLike(graph: GraphBuilder, value: Value, other: Value): Value {
  if (multiplyDimensions(...value.shape) !== multiplyDimensions(...other.shape)) {
    throw new Error(
      `Reshape: ${describeShape(value.shape)} and ${describeShape(other.shape)} differ in size`,
    );
  }
  return graph.node({ operator: "Reshape", inputs: [value, shapeOf(graph, other)] }, value.type, other.shape);
}
