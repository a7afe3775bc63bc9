import type { Dimension } from "../onnx/dimension.js";
import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add } from "../onnx/operators/elementwise.js";
import { lengthOf } from "../onnx/operators/shape.js";
import type { Span } from "../onnx/operators/slice.js";
import { joinFirstAxis } from "../onnx/operators/split.js";
import type { Value } from "../onnx/value.js";

/**
 * Hides a key when it is added to an attention score: large enough that its exponential is 0 beside any score, small enough
 * that adding a score stays finite.
 */
export const ATTENTION_MASK_VALUE = -1e30;

/**
 * Builds the mask that is added to attention scores: 0 where a query may see a key, a huge negative number where the key lies in the
 * future. The rows repeat for each of the `repeats` query heads that share a key head.
 *
 * Rows padded at their end need nothing more: no real token looks forward to the padding.
 *
 * @param time - tokens a row
 * @returns `[repeats · time, time]`
 */
export function causalMask(graph: GraphBuilder, tokens: Value, repeats: number): Value {
  const time: Dimension | undefined = tokens.shape[1];
  if (time === undefined) throw new Error("causal mask: tokens must be [rows, time]");
  const length = lengthOf(graph, tokens, 1);
  const first = graph.intVector([0]);
  return repeated(
    graph,
    hiddenFuture(graph, { queries: length, keys: length, first }, [time, time]),
    repeats,
  );
}

/**
 * Builds the mask for queries of one span of a row, and keys from the row's start to the end of the span.
 *
 * @param keys - number of these keys
 * @returns `[repeats · span, keys]`
 */
export function causalMaskOfSpan(graph: GraphBuilder, span: Span, keys: Dimension, repeats: number): Value {
  if (typeof span.length !== "number") throw new Error("causal mask: the length of a span must be known");
  const sizes = { queries: graph.intVector([span.length]), keys: span.end, first: span.start };
  return repeated(graph, hiddenFuture(graph, sizes, [span.length, keys]), repeats);
}

/** One number stretched to `[queries, keys]`, and the part kept that lies behind the query's own place. */
function hiddenFuture(
  graph: GraphBuilder,
  sizes: { readonly queries: Value; readonly keys: Value; readonly first: Value },
  shape: readonly [Dimension, Dimension],
): Value {
  const full = graph.node(
    {
      operator: "Expand",
      inputs: [graph.scalar(ATTENTION_MASK_VALUE), joinFirstAxis(graph, [sizes.queries, sizes.keys])],
    },
    "float32",
    shape,
  );
  const diagonal = graph.node(
    { operator: "Squeeze", inputs: [add(graph, sizes.first, graph.intVector([1]))] },
    "int64",
    [],
  );
  const attributes = { upper: { int: 1 } };
  return graph.node({ operator: "Trilu", inputs: [full, diagonal], attributes }, "float32", shape);
}

function repeated(graph: GraphBuilder, mask: Value, repeats: number): Value {
  return repeats === 1
    ? mask
    : joinFirstAxis(
        graph,
        Array.from({ length: repeats }, () => mask),
      );
}
