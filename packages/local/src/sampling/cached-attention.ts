import { type AttentionInputs, type HeadLayout, joinHeads, scaleOf, splitHeads } from "../graph/attention.js";
import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add, divide, exponential, maximum, subtract } from "../onnx/operators/elementwise.js";
import { matMul } from "../onnx/operators/mat-mul.js";
import { maxLastAxis, sumLastAxis } from "../onnx/operators/reduce.js";
import type { Value } from "../onnx/value.js";

/** Keys and values by head, `[rows, keyValueHeads, length, headSize]`, keys turned to their positions. */
export interface HeadKeyValues {
  readonly keys: Value;
  readonly values: Value;
}

export interface CachedAttention extends HeadKeyValues {
  /** `[rows, time, headCount · headSize]` */
  readonly output: Value;
}

/**
 * Attention of new tokens to those before them, whose keys and values are given, and to each other. The softmax runs
 * over both parts at once without joining them, so the cached part is read where it lies and never copied.
 *
 * @param masks - what is added to the scores: `past` broadcasts to `[rows, keyValueHeads, group · time, past]` and hides
 * what a row has not filled; `fresh` is `[group · time, time]` and hides later tokens
 * @returns the output, and the new tokens' keys and values to be cached
 */
export function cachedAttention(
  graph: GraphBuilder,
  fresh: AttentionInputs,
  past: HeadKeyValues,
  masks: { readonly past: Value; readonly fresh: Value },
  layout: HeadLayout,
): CachedAttention {
  const { headCount, keyValueHeadCount } = layout;
  const queries = splitHeads(graph, fresh.queries, headCount, layout);
  const keys = splitHeads(graph, fresh.keys, keyValueHeadCount, layout);
  const values = splitHeads(graph, fresh.values, keyValueHeadCount, layout);
  const scores = (against: Value, mask: Value) =>
    add(graph, matMul(graph, queries, against, { transposeRight: true, scale: scaleOf(layout) }), mask);
  const pastScores = scores(past.keys, masks.past);
  const freshScores = scores(keys, masks.fresh);
  const top = maximum(graph, maxLastAxis(graph, pastScores), maxLastAxis(graph, freshScores));
  const pastWeights = exponential(graph, subtract(graph, pastScores, top));
  const freshWeights = exponential(graph, subtract(graph, freshScores, top));
  const sum = add(graph, sumLastAxis(graph, pastWeights), sumLastAxis(graph, freshWeights));
  const mixed = add(graph, matMul(graph, pastWeights, past.values), matMul(graph, freshWeights, values));
  const time = fresh.queries.shape[1] ?? 1;
  const output = joinHeads(graph, divide(graph, mixed, sum), headCount, layout, time);
  return { output, keys, values };
}
