import { multiply, negate, select } from "../../onnx/operators/elementwise.js";
import type { LossFunction } from "./loss.js";
import { isNonZero } from "./masked-ratio.js";

/** `−w·p` with derivative `−w`. */
export const crossEntropy: LossFunction = (graph, { logprobs, weights }) => {
  const gradient = negate(graph, weights);
  const active = isNonZero(graph, weights);
  return { loss: select(graph, active, multiply(graph, gradient, logprobs), graph.scalar(0)), gradient };
};
