import { type Dimension, describeShape, multiplyDimensions } from "../onnx/dimension.js";
import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add, multiply, subtract } from "../onnx/operators/elementwise.js";
import { matMul } from "../onnx/operators/mat-mul.js";
import { sumLastAxis } from "../onnx/operators/reduce.js";
import { reshape } from "../onnx/operators/reshape.js";
import { softmax } from "../onnx/operators/softmax.js";
import { transpose } from "../onnx/operators/transpose.js";
import type { Value } from "../onnx/value.js";

export interface HeadLayout {
  readonly headCount: number;
  readonly keyValueHeadCount: number;
  readonly headSize: number;
}

/**
 * Values below are `[rows, keyValueHeads, group · time, headSize]` for queries and `[rows, keyValueHeads, time, headSize]`
 * for keys and values: the query heads of a group lie one after another, so sharing a key head needs no copies of it, and
 * its gradient adds up over the group inside the matrix product.
 */
export interface Attention {
  /** `[rows, time, headCount · headSize]` */
  readonly output: Value;
  readonly layout: HeadLayout;
  readonly queries: Value;
  readonly keys: Value;
  readonly values: Value;
  readonly probabilities: Value;
  readonly context: Value;
}

export interface AttentionInputs {
  /** `[rows, time, headCount · headSize]` */
  readonly queries: Value;
  /** `[rows, time, keyValueHeadCount · headSize]` */
  readonly keys: Value;
  readonly values: Value;
}

/** Attention of a layer as a graph computes it, with the way back. */
export interface Attended {
  /** `[rows, time, headCount · headSize]` */
  readonly output: Value;
  /** Gradients of queries, keys and values from that of the output. */
  readonly backward: (gradient: Value) => AttentionInputs;
}

/** Writes the attention of a layer into a graph. */
export type Attend = (graph: GraphBuilder, inputs: AttentionInputs, layout: HeadLayout) => Attended;

/** All scores of a row at once. @param mask - see `causalMask` */
export const attendAtOnce =
  (mask: Value): Attend =>
  (graph, inputs, layout) => {
    const saved = attention(graph, inputs, mask, layout);
    return { output: saved.output, backward: (gradient) => attentionBackward(graph, saved, gradient) };
  };

/**
 * `softmax(Q Kᵀ / sqrt(headSize) + mask) V`, head by head; query head h reads key head
 * `floor(h · keyValueHeadCount / headCount)`.
 */
export function attention(
  graph: GraphBuilder,
  inputs: AttentionInputs,
  mask: Value,
  layout: HeadLayout,
): Attention {
  const queries = splitHeads(graph, inputs.queries, layout.headCount, layout);
  const keys = splitHeads(graph, inputs.keys, layout.keyValueHeadCount, layout);
  const values = splitHeads(graph, inputs.values, layout.keyValueHeadCount, layout);
  const scores = matMul(graph, queries, keys, { transposeRight: true, scale: scaleOf(layout) });
  const probabilities = softmax(graph, add(graph, scores, mask));
  const context = matMul(graph, probabilities, values);
  const output = joinHeads(graph, context, layout.headCount, layout, timeOf(inputs.queries));
  return { output, layout, queries, keys, values, probabilities, context };
}

/**
 * Gradients of queries, keys and values, in the shapes of {@link AttentionInputs}, from that of the output. The row sums
 * that softmax's derivative subtracts, Σ P·dP, equal Σ O·dO, which is over headSize and not over time.
 */
export function attentionBackward(graph: GraphBuilder, saved: Attention, gradient: Value): AttentionInputs {
  const { layout, queries, keys, values, probabilities, context } = saved;
  const scale = scaleOf(layout);
  const dContext = splitHeads(graph, gradient, layout.headCount, layout);
  const dProbabilities = matMul(graph, dContext, values, { transposeRight: true });
  const rowSums = sumLastAxis(graph, multiply(graph, dContext, context));
  const dScores = multiply(graph, probabilities, subtract(graph, dProbabilities, rowSums));
  const dQueries = matMul(graph, dScores, keys, { scale });
  // Turned, [headSize, time]: the product whose transposed side is the small one is faster, and heads are moved anyway.
  const turnedKeys = matMul(graph, queries, dScores, { transposeLeft: true, scale });
  const turnedValues = matMul(graph, dContext, probabilities, { transposeLeft: true });
  const time = timeOf(gradient);
  return {
    queries: joinHeads(graph, dQueries, layout.headCount, layout, time),
    keys: joinTurnedHeads(graph, turnedKeys),
    values: joinTurnedHeads(graph, turnedValues),
  };
}

export const scaleOf = (layout: HeadLayout) => 1 / Math.sqrt(layout.headSize);

function timeOf(value: Value): Dimension {
  const time = value.shape[1];
  if (time === undefined || value.shape.length !== 3) {
    throw new Error(`Attention: input must be [rows, time, width], got ${describeShape(value.shape)}`);
  }
  return time;
}

/** `[rows, time, heads · headSize]` to `[rows, keyValueHeads, heads / keyValueHeads · time, headSize]`. */
export function splitHeads(graph: GraphBuilder, value: Value, heads: number, layout: HeadLayout): Value {
  const [rows = 1] = value.shape;
  const time = timeOf(value);
  const byHead = transpose(graph, reshape(graph, value, [rows, time, heads, layout.headSize]), [0, 2, 1, 3]);
  const group = heads / layout.keyValueHeadCount;
  if (group === 1) return byHead;
  const grouped = [rows, layout.keyValueHeadCount, multiplyDimensions(group, time), layout.headSize];
  return reshape(graph, byHead, grouped);
}

/** The way back from {@link splitHeads}. */
export function joinHeads(
  graph: GraphBuilder,
  value: Value,
  heads: number,
  layout: HeadLayout,
  time: Dimension,
): Value {
  const [rows = 1] = value.shape;
  const byHead = reshape(graph, value, [rows, heads, time, layout.headSize]);
  return reshape(graph, transpose(graph, byHead, [0, 2, 1, 3]), [rows, time, heads * layout.headSize]);
}

/** `[rows, heads, headSize, time]` to `[rows, time, heads · headSize]`. */
export function joinTurnedHeads(graph: GraphBuilder, value: Value): Value {
  const [rows = 1, heads = 1, headSize = 1, time = 1] = value.shape;
  const byTime = transpose(graph, value, [0, 3, 1, 2]);
  return reshape(graph, byTime, [rows, time, multiplyDimensions(heads, headSize)]);
}
