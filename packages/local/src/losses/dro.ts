import { and, equal, multiply, negate, not, select, subtract } from "../onnx/operators/elementwise.js";
import { defineLoss } from "./loss-definition.js";
import { isNonZero } from "./masked-ratio.js";

/**
 * `−(p·A − ½·β·(p − q)²)` with derivative `−A + β·(p − q)`. A position whose advantage and sampler log-probability are
 * both exactly 0 is a prompt position and costs nothing. The documentation names no default for β, only the value of its
 * example.
 */
export const dro = defineLoss({
  name: "dro",
  required: ["logprobs", "advantages"],
  optional: { weights: 1 },
  config: { beta: 0.05 },
  forward(graph, p, { logprobs: q, advantages, weights, beta }) {
    const zero = graph.scalar(0);
    const prompt = and(graph, equal(graph, advantages, zero), equal(graph, q, zero));
    const active = and(graph, isNonZero(graph, weights), not(graph, prompt));
    const learner = select(graph, active, p, zero);
    const distance = select(graph, active, subtract(graph, p, q), zero);
    const pull = multiply(graph, beta, distance);
    const penalty = multiply(graph, multiply(graph, graph.scalar(0.5), pull), distance);
    const gain = subtract(graph, multiply(graph, learner, advantages), penalty);
    return {
      loss: negate(graph, multiply(graph, weights, gain)),
      gradient: multiply(graph, weights, subtract(graph, pull, advantages)),
    };
  },
});
