import type { GraphBuilder } from "../onnx/graph-builder.js";
import type { Value } from "../onnx/value.js";
import { isParted } from "./frozen-matrix.js";
import {
  type LinearWeights,
  type LoraLinear,
  type LoraLinearGradients,
  loraLinear,
  loraLinearBackward,
} from "./lora-linear.js";
import { headInParts } from "./parted-head.js";
import { type TargetLogprobs, targetLogprobs, targetLogprobsBackward } from "./target-logprobs.js";
import { pickedLinear, tokensInUse } from "./tokens-in-use.js";

/** Log-probabilities of targets from the last hidden state, with the way back. */
export interface TargetHead {
  /** `[rows, time, K]` */
  readonly logprobs: Value;
  /** Gradients of the hidden state and of the unembedding's adapter from that of `logprobs`. */
  readonly backward: (gradient: Value) => LoraLinearGradients;
}

/**
 * The logits of all tokens at once.
 *
 * @param hidden - normed, `[rows, time, hidden]`
 * @param targets - int32 ids, `[rows, time, K]`
 */
export function headAtOnce(
  graph: GraphBuilder,
  hidden: Value,
  targets: Value,
  weights: LinearWeights,
): TargetHead {
  const { weight, ...rest } = weights;
  if (isParted(weight)) return headInParts(graph, hidden, targets, { weight, ...rest });
  const linear = loraLinear(graph, hidden, weights);
  const saved = targetLogprobs(graph, linear.output, targets);
  return { logprobs: saved.output, backward: (gradient) => backward(graph, linear, saved, gradient) };
}

function backward(
  graph: GraphBuilder,
  linear: LoraLinear,
  saved: TargetLogprobs,
  gradient: Value,
): LoraLinearGradients {
  const used = tokensInUse(graph, gradient);
  const { pick } = used;
  const picked = { output: pick(saved.output), targets: pick(saved.targets), logprobs: pick(saved.logprobs) };
  const dLogits = targetLogprobsBackward(graph, picked, pick(gradient));
  const gradients = loraLinearBackward(graph, pickedLinear(linear, pick(linear.input), used), dLogits);
  return { ...gradients, input: used.putBack(gradients.input, linear.input) };
}
