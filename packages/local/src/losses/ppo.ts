import { clippedLoss } from "./clipped-loss.js";
import { defineLoss } from "./loss-definition.js";
import { maskedRatio } from "./masked-ratio.js";

/**
 * `−min(r·A, clamp(r, low, high)·A)`. The derivative is `−r·A` where the unclipped product is the smaller one or both are
 * equal, and 0 elsewhere. The thresholds bound the ratio `r = exp(p − q)` itself, not 1 ± ε; their defaults are the documented
 * ones.
 */
export const ppo = defineLoss({
  name: "ppo",
  required: ["logprobs", "advantages"],
  optional: { weights: 1 },
  config: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
  perToken: ["clip_low_threshold", "clip_high_threshold"],
  ascending: ["clip_low_threshold", "clip_high_threshold"],
  forward: (graph, p, inputs) => clippedLoss(graph, maskedRatio(graph, p, inputs).ratio, inputs),
});
