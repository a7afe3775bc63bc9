import type { Dimension } from "../onnx/dimension.js";
import { multiplyDimensions } from "../onnx/dimension.js";
import type { GraphBuilder } from "../onnx/graph-builder.js";
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
  // One element stretched to [time, time], and the part above the diagonal kept.
  const length = graph.node(
    { operator: "Shape", inputs: [tokens], attributes: { start: { int: 1 }, end: { int: 2 } } },
    "int64",
    [1],
  );
  const square = concatenate(graph, [length, length], [2]);
  const full = graph.node(
    { operator: "Expand", inputs: [graph.scalar(ATTENTION_MASK_VALUE), square] },
    "float32",
    [time, time],
  );
  const future = graph.node(
    {
      operator: "Trilu",
      inputs: [full, graph.initializer("one", "int64", [], BigInt64Array.of(1n))],
      attributes: { upper: { int: 1 } },
    },
    "float32",
    [time, time],
  );
  if (repeats === 1) return future;
  const copies = Array.from({ length: repeats }, () => future);
  return concatenate(graph, copies, [multiplyDimensions(repeats, time), time]);
}

function concatenate(graph: GraphBuilder, values: readonly Value[], shape: readonly Dimension[]): Value {
  const type = values[0]?.type ?? "float32";
  return graph.node({ operator: "Concat", inputs: values, attributes: { axis: { int: 0 } } }, type, shape);
}
