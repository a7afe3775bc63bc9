import { and, divide, equal, exponential, maximum, select, subtract } from "../onnx/operators/elementwise.js";
import { sumTimeAxis } from "../onnx/operators/reduce.js";
import { clippedLoss } from "./clipped-loss.js";
import { defineLoss } from "./loss-definition.js";
import { isNonZero } from "./masked-ratio.js";

/** Stands for a mask that was left out: the tokens that have an advantage are the sequence. */
const LEFT_OUT = -1;

/**
 * `−min(s·A, clamp(s, low, high)·A)` of each token, with one ratio for the whole datum: `s = exp(mean of p − q)` over the tokens
 * whose `sequence_ratio_mask` is not 0. The derivative is `−s·A` where the unclipped product is the smaller one or both are equal,
 * and 0 elsewhere.
 *
 * The service's own formula is not published. This is GSPO-token of "Group Sequence Policy Optimization" (arXiv 2507.18071, 4.3) with
 * that paper's thresholds, summed over tokens as every other loss here.
 */
export const gspo = defineLoss({
  name: "gspo",
  required: ["logprobs", "advantages"],
  optional: { weights: 1, sequence_ratio_mask: LEFT_OUT },
  config: { clip_low_threshold: 0.9997, clip_high_threshold: 1.0004 },
  perToken: ["clip_low_threshold", "clip_high_threshold"],
  ascending: ["clip_low_threshold", "clip_high_threshold"],
  isAssumed: true,
  forward(graph, p, inputs) {
    const { logprobs: q, advantages, weights, sequence_ratio_mask: mask } = inputs;
    const [zero, one] = [graph.scalar(0), graph.scalar(1)];
    const hasAdvantage = isNonZero(graph, advantages);
    const isLeftOut = equal(graph, mask, graph.scalar(LEFT_OUT));
    const inSequence = and(
      graph,
      isNonZero(graph, weights),
      isNonZero(graph, select(graph, isLeftOut, select(graph, hasAdvantage, one, zero), mask)),
    );
    const distance = select(graph, inSequence, subtract(graph, p, q), zero);
    const count = sumTimeAxis(graph, select(graph, inSequence, one, zero));
    const ratio = exponential(graph, divide(graph, sumTimeAxis(graph, distance), maximum(graph, count, one)));
    return clippedLoss(graph, ratio, inputs);
  },
});
