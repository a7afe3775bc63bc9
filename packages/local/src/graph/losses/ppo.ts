import {
  greaterOrEqual,
  maximum,
  minimum,
  multiply,
  negate,
  select,
} from "../../onnx/operators/elementwise.js";
import type { LossFunction } from "./loss.js";
import { maskedRatio } from "./masked-ratio.js";

/**
 * `−min(r·A, clamp(r, low, high)·A)`. The derivative is `−r·A` where the unclipped product is the smaller one or both are
 * equal, and 0 elsewhere.
 */
export const ppo: LossFunction = (graph, inputs) => {
  const { ratio } = maskedRatio(graph, inputs);
  const { advantages, weights } = inputs;
  const clipped = minimum(graph, maximum(graph, ratio, inputs.clipLow), inputs.clipHigh);
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
};
