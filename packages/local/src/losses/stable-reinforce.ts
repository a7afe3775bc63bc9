import {
  add,
  and,
  equal,
  minimum,
  multiply,
  negate,
  not,
  select,
  subtract,
} from "../onnx/operators/elementwise.js";
import { defineLoss } from "./loss-definition.js";
import { isNonZero, maskedRatio } from "./masked-ratio.js";

/** Largest weight of a token that the learner likes better than the sampler did. */
const MAX_RATIO = 2;

/**
 * `−c·p·A + ½·κ·(p − q)²` with `c = min(r, 2)` held constant by the derivative, which is `−c·A + κ·(p − q)`, and κ the setting
 * `kl_coeff`. A position whose advantage and sampler log-probability are both exactly 0 is a prompt position and costs nothing.
 *
 * The service's formula is not published. Known are the name, the setting `kl_coeff`, that it is meant for data of an older sampler,
 * and that datums say which samples they are made of. This reading is REINFORCE with truncated importance weights and, where it is
 * asked for, a pull towards the sampler. It reads the sampler from `logprobs`, which clients send with it, and needs no record of
 * the sampling.
 */
export const stableReinforce = defineLoss({
  name: "stable_reinforce",
  required: ["logprobs", "advantages"],
  optional: { weights: 1 },
  config: { kl_coeff: 0 },
  isAssumed: true,
  forward(graph, p, inputs) {
    const { logprobs: q, advantages, weights, kl_coeff: coefficient } = inputs;
    const zero = graph.scalar(0);
    const { active, ratio, weightedAdvantages } = maskedRatio(graph, p, inputs);
    const truncated = minimum(graph, ratio, graph.scalar(MAX_RATIO));
    const push = negate(graph, multiply(graph, truncated, weightedAdvantages));
    const prompt = and(graph, equal(graph, advantages, zero), equal(graph, q, zero));
    const pulled = and(graph, isNonZero(graph, weights), not(graph, prompt));
    const distance = select(graph, pulled, subtract(graph, p, q), zero);
    const pull = multiply(graph, multiply(graph, weights, coefficient), distance);
    const penalty = multiply(graph, multiply(graph, graph.scalar(0.5), pull), distance);
    return {
      loss: add(graph, multiply(graph, push, select(graph, active, p, zero)), penalty),
      gradient: add(graph, push, pull),
    };
  },
});
