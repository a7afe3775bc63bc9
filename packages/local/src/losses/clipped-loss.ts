import type { GraphBuilder } from "../onnx/graph-builder.js";
import { greaterOrEqual, maximum, minimum, multiply, negate, select } from "../onnx/operators/elementwise.js";
import type { Value } from "../onnx/value.js";
import type { LossValues } from "./loss-definition.js";

type ClippedInputs = Readonly<
  Record<"advantages" | "weights" | "clip_low_threshold" | "clip_high_threshold", Value>
>;

/**
 * `−w·min(r·A, clamp(r, low, high)·A)` of each token. The derivative is `−w·r·A` where the unclipped product is the smaller one or
 * both are equal, and 0 elsewhere.
 *
 * @param ratio - `[rows, time, K]`, or `[rows, 1, K]` for one ratio a row
 */
export function clippedLoss(graph: GraphBuilder, ratio: Value, inputs: ClippedInputs): LossValues {
  const { advantages, weights } = inputs;
  const raised = maximum(graph, ratio, inputs.clip_low_threshold);
  const clipped = minimum(graph, raised, inputs.clip_high_threshold);
  const unclippedGain = multiply(graph, ratio, advantages);
  const clippedGain = multiply(graph, clipped, advantages);
  const negativeWeights = negate(graph, weights);
  return {
    loss: multiply(graph, negativeWeights, minimum(graph, unclippedGain, clippedGain)),
    gradient: select(
      graph,
      greaterOrEqual(graph, clippedGain, unclippedGain),
      multiply(graph, negativeWeights, unclippedGain),
      graph.scalar(0),
    ),
  };
}
