import type { GraphBuilder } from "../onnx/graph-builder.js";
import { gatherRows, scatterRows } from "../onnx/operators/gather.js";
import { sumMagnitudes } from "../onnx/operators/reduce.js";
import { flattenRows, reshape, reshapeLike } from "../onnx/operators/reshape.js";
import { zerosLike } from "../onnx/operators/zeros.js";
import type { Value } from "../onnx/value.js";
import type { LoraLinear } from "./lora-linear.js";

/** The tokens of `[rows, time]` whose log-probabilities have a gradient. */
export interface TokensInUse {
  /** Their part of `[rows, time, width]`, as `[used, width]`. */
  readonly pick: (value: Value) => Value;
  /** `[used, width]` in the place of these tokens, zeros elsewhere, in the shape of `like`. */
  readonly putBack: (picked: Value, like: Value) => Value;
}

/**
 * Finds the tokens through whose logits a backward pass goes: a prompt without weights costs nothing there. NaN is in use.
 *
 * @param gradient - of their log-probabilities, `[rows, time, K]`
 */
export function tokensInUse(graph: GraphBuilder, gradient: Value): TokensInUse {
  const rows = flattenRows(graph, gradient);
  const sizes = reshape(graph, sumMagnitudes(graph, rows), rows.shape.slice(0, 1));
  const places = graph.node({ operator: "NonZero", inputs: [sizes] }, "int64", [1, "used"]);
  const used = graph.node({ operator: "Squeeze", inputs: [places, graph.intVector([0])] }, "int64", ["used"]);
  return {
    pick: (value) => gatherRows(graph, flattenRows(graph, value), used),
    putBack(picked, like) {
      const zeros = zerosLike(graph, flattenRows(graph, like));
      return reshapeLike(graph, scatterRows(graph, zeros, used, picked), like);
    },
  };
}

/** A linear layer as if it had been given the tokens in use alone. */
export function pickedLinear(linear: LoraLinear, input: Value, { pick }: TokensInUse): LoraLinear {
  const { low } = linear;
  return { ...linear, input, ...(low === undefined ? {} : { low: { ...low, reduced: pick(low.reduced) } }) };
}
