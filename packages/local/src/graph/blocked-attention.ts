import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add, multiply, subtract } from "../onnx/operators/elementwise.js";
import { matMul } from "../onnx/operators/mat-mul.js";
import { sumLastAxis } from "../onnx/operators/reduce.js";
import { type Span, sliceSpan } from "../onnx/operators/slice.js";
import { softmax } from "../onnx/operators/softmax.js";
import { transpose } from "../onnx/operators/transpose.js";
import { padLastAxis, zerosLike } from "../onnx/operators/zeros.js";
import type { Value } from "../onnx/value.js";
import {
  type Attend,
  type AttentionInputs,
  type HeadLayout,
  joinHeads,
  joinTurnedHeads,
  scaleOf,
  splitHeads,
} from "./attention.js";
import { type Blocks, blockedTime, forEachBlock } from "./blocks.js";
import { causalMaskOfSpan } from "./causal-mask.js";

/** Number of keys that a block of queries sees, in shapes. */
const SEEN = "seen";

/**
 * Attention by blocks of queries, each against all keys up to its own end. What one block needs is in memory at a time, in place of the
 * square of the row's length, and the backward half computes the probabilities of a block again.
 */
export const attendInBlocks =
  (blocks: Blocks): Attend =>
  (graph, inputs, layout) => {
    const row = splitRow(graph, inputs, layout);
    const forward = forEachBlock(graph, blocks, [], (body, span) => {
      const { probabilities, values } = blockOf(body, row, span);
      const context = matMul(body, probabilities, values);
      return { carried: [], joined: [joinHeads(body, context, layout.headCount, layout, span.length)] };
    });
    const output = only(forward.joined);
    return { output, backward: (gradient) => backward(graph, blocks, row, output, gradient) };
  };

interface Row {
  readonly layout: HeadLayout;
  /** `[1, time, headCount · headSize]` */
  readonly queries: Value;
  /** `[1, keyValueHeads, time, headSize]` */
  readonly keys: Value;
  readonly values: Value;
}

function splitRow(graph: GraphBuilder, inputs: AttentionInputs, layout: HeadLayout): Row {
  const keys = splitHeads(graph, inputs.keys, layout.keyValueHeadCount, layout);
  const values = splitHeads(graph, inputs.values, layout.keyValueHeadCount, layout);
  return { layout, queries: inputs.queries, keys, values };
}

/** Queries of a block by head, the keys and values that it sees, and its attention to them. */
function blockOf(body: GraphBuilder, row: Row, span: Span) {
  const { layout } = row;
  const seen = { start: body.intVector([0]), end: span.end, length: SEEN };
  const queries = headsOf(body, row.queries, span, layout);
  const keys = sliceSpan(body, row.keys, 2, seen);
  const values = sliceSpan(body, row.values, 2, seen);
  const mask = causalMaskOfSpan(body, span, SEEN, layout.headCount / layout.keyValueHeadCount);
  const scores = matMul(body, queries, keys, { transposeRight: true, scale: scaleOf(layout) });
  return { queries, keys, values, probabilities: softmax(body, add(body, scores, mask)) };
}

/** A block of `[1, time, headCount · headSize]` by head. */
function headsOf(body: GraphBuilder, value: Value, span: Span, layout: HeadLayout): Value {
  return splitHeads(body, sliceSpan(body, value, 1, span), layout.headCount, layout);
}

/** The formulas are those of `attentionBackward`; gradients of keys and values add up over the blocks that see them. */
function backward(
  graph: GraphBuilder,
  blocks: Blocks,
  row: Row,
  output: Value,
  gradient: Value,
): AttentionInputs {
  const { layout } = row;
  const scale = scaleOf(layout);
  const whole = { value: blocks.time, length: blockedTime(blocks.length) };
  const zeros = zerosLike(graph, transpose(graph, row.keys, [0, 1, 3, 2]));
  const results = forEachBlock(graph, blocks, [zeros, zeros], (body, span, [turnedKeys, turnedValues]) => {
    const { queries, keys, values, probabilities } = blockOf(body, row, span);
    const dContext = headsOf(body, gradient, span, layout);
    const context = headsOf(body, output, span, layout);
    const dProbabilities = matMul(body, dContext, values, { transposeRight: true });
    const rowSums = sumLastAxis(body, multiply(body, dContext, context));
    const dScores = multiply(body, probabilities, subtract(body, dProbabilities, rowSums));
    const dQueries = matMul(body, dScores, keys, { scale });
    const added = (total: Value | undefined, part: Value) => {
      const padded = padLastAxis(body, part, span.end, whole);
      return total === undefined ? padded : add(body, total, padded);
    };
    return {
      carried: [
        added(turnedKeys, matMul(body, queries, dScores, { transposeLeft: true, scale })),
        added(turnedValues, matMul(body, dContext, probabilities, { transposeLeft: true })),
      ],
      joined: [joinHeads(body, dQueries, layout.headCount, layout, span.length)],
    };
  });
  const [turnedKeys, turnedValues] = results.carried;
  if (turnedKeys === undefined || turnedValues === undefined) throw new Error("a loop lost what it carried");
  return {
    queries: only(results.joined),
    keys: joinTurnedHeads(graph, turnedKeys),
    values: joinTurnedHeads(graph, turnedValues),
  };
}

function only(values: readonly Value[]): Value {
  const [value] = values;
  if (value === undefined || values.length !== 1) throw new Error(`expected one value, got ${values.length}`);
  return value;
}
