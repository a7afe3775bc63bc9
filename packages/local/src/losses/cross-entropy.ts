import { multiply, negate, select } from "../onnx/operators/elementwise.js";
import { defineLoss } from "./loss-definition.js";
import { isNonZero } from "./masked-ratio.js";

/** `−w·p` with derivative `−w`. */
export const crossEntropy = defineLoss({
  name: "cross_entropy",
  required: [],
  optional: { weights: 1 },
  config: {},
  takesMatrix: true,
  forward(graph, p, { weights }) {
    const gradient = negate(graph, weights);
    const active = isNonZero(graph, weights);
    return { loss: select(graph, active, multiply(graph, gradient, p), graph.scalar(0)), gradient };
  },
});
