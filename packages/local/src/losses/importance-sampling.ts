import { multiply, negate } from "../onnx/operators/elementwise.js";
import { defineLoss } from "./loss-definition.js";
import { maskedRatio } from "./masked-ratio.js";

/** `−r·A` with `r = exp(p − q)`, not clipped; the derivative is the loss itself. */
export const importanceSampling = defineLoss({
  name: "importance_sampling",
  required: ["logprobs", "advantages"],
  optional: { weights: 1 },
  config: {},
  forward(graph, p, inputs) {
    const { ratio, weightedAdvantages } = maskedRatio(graph, p, inputs);
    const loss = negate(graph, multiply(graph, ratio, weightedAdvantages));
    return { loss, gradient: loss };
  },
});
