import { type Dimension, describeShape, multiplyDimensions } from "../dimension.js";
import type { GraphBuilder } from "../graph-builder.js";
import type { Value } from "../value.js";

/** Parts of the last axis, of the given lengths, which fill it. */
export function splitLastAxis(graph: GraphBuilder, value: Value, lengths: readonly number[]): Value[] {
  if (value.shape.at(-1) !== sum(lengths)) {
    throw new Error(
      `Split: ${lengths.join(" + ")} do not fill the last axis of ${describeShape(value.shape)}`,
    );
  }
  const attributes = { axis: { int: -1 } };
  const parts = lengths.map((length) => ({ type: value.type, shape: value.shape.with(-1, length) }));
  const inputs = [value, graph.intVector(lengths)];
  return graph.nodeWithOutputs({ operator: "Split", inputs, attributes }, parts);
}

/** Values side by side along their last axis: of one length each, or of lengths that are known. */
export const joinLastAxis = (graph: GraphBuilder, values: readonly Value[]) => join(graph, values, -1);

/** Values one behind another along their first axis: of one length each, or of lengths that are known. */
export const joinFirstAxis = (graph: GraphBuilder, values: readonly Value[]) => join(graph, values, 0);

function join(graph: GraphBuilder, values: readonly Value[], axis: 0 | -1): Value {
  const [first] = values;
  if (first === undefined) throw new Error("Concat: must have at least one value, got none");
  const lengths = values.map(({ shape }) => shape.at(axis) ?? Number.NaN);
  const [one = 0] = lengths;
  const isOne = lengths.every((length) => length === one);
  const shape = first.shape.with(axis, isOne ? multiplyDimensions(lengths.length, one) : sum(lengths));
  const attributes = { axis: { int: axis } };
  return graph.node({ operator: "Concat", inputs: values, attributes }, first.type, shape);
}

function sum(lengths: readonly Dimension[]): number {
  return lengths.reduce<number>((total, length) => total + Number(length), 0);
}
