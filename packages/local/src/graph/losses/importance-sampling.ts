import { multiply, negate } from "../../onnx/operators/elementwise.js";
import type { LossFunction } from "./loss.js";
import { maskedRatio } from "./masked-ratio.js";

/** `−r·A` with `r = exp(p − q)`, not clipped; the derivative is the loss itself. */
export const importanceSampling: LossFunction = (graph, inputs) => {
  const { ratio, weightedAdvantages } = maskedRatio(graph, inputs);
  const loss = negate(graph, multiply(graph, ratio, weightedAdvantages));
  return { loss, gradient: loss };
};
