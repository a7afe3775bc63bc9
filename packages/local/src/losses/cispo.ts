import { maximum, minimum, multiply, negate, select } from "../onnx/operators/elementwise.js";
import { defineLoss } from "./loss-definition.js";
import { maskedRatio } from "./masked-ratio.js";

/**
 * `−c·p·A` with `c = clamp(r, low, high)` held constant by the derivative, which is `−c·A`. The thresholds bound the ratio
 * `r = exp(p − q)` itself, not 1 ± ε; their defaults are the documented ones.
 */
export const cispo = defineLoss({
  name: "cispo",
  required: ["logprobs", "advantages"],
  optional: { weights: 1 },
  config: { clip_low_threshold: 0, clip_high_threshold: 4 },
  perToken: ["clip_low_threshold", "clip_high_threshold"],
  ascending: ["clip_low_threshold", "clip_high_threshold"],
  forward(graph, p, inputs) {
    const { active, ratio, weightedAdvantages } = maskedRatio(graph, p, inputs);
    const raised = maximum(graph, ratio, inputs.clip_low_threshold);
    const clipped = minimum(graph, raised, inputs.clip_high_threshold);
    const gradient = negate(graph, multiply(graph, clipped, weightedAdvantages));
    const learned = select(graph, active, p, graph.scalar(0));
    return { loss: multiply(graph, gradient, learned), gradient };
  },
});
