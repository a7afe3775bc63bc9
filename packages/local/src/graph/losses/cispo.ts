import { maximum, minimum, multiply, negate, select } from "../../onnx/operators/elementwise.js";
import type { LossFunction } from "./loss.js";
import { maskedRatio } from "./masked-ratio.js";

/** `−c·p·A` with `c = clamp(r, low, high)` held constant by the derivative, which is `−c·A`. */
export const cispo: LossFunction = (graph, inputs) => {
  const { active, ratio, weightedAdvantages } = maskedRatio(graph, inputs);
  const clipped = minimum(graph, maximum(graph, ratio, inputs.clipLow), inputs.clipHigh);
  const gradient = negate(graph, multiply(graph, clipped, weightedAdvantages));
  const logprobs = select(graph, active, inputs.logprobs, graph.scalar(0));
  return { loss: multiply(graph, gradient, logprobs), gradient };
};
