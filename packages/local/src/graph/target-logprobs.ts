import type { GraphBuilder } from "../onnx/graph-builder.js";
import { exponential, multiply, negate } from "../onnx/operators/elementwise.js";
import { gatherLastAxis, scatterAddLastAxis } from "../onnx/operators/gather.js";
import { sumLastAxis } from "../onnx/operators/reduce.js";
import { logSoftmax } from "../onnx/operators/softmax.js";
import type { Value } from "../onnx/value.js";

export interface TargetLogprobs {
  /** `[rows, time, K]` */
  readonly output: Value;
  /** int32 ids, `[rows, time, K]` */
  readonly targets: Value;
  /** Log-probabilities of the whole vocabulary, `[rows, time, vocabulary]`. */
  readonly logprobs: Value;
}

/** Log-probability of each target under softmax of the logits, `[rows, time, vocabulary]`, at temperature 1. */
export function targetLogprobs(graph: GraphBuilder, logits: Value, targets: Value): TargetLogprobs {
  const logprobs = logSoftmax(graph, logits);
  return { output: gatherLastAxis(graph, logprobs, targets), targets, logprobs };
}

/** dL/dlogits from c = dL/dlogprob of each target: `Σₖ cₖ · (onehot(targetₖ) − softmax)`. */
export function targetLogprobsBackward(graph: GraphBuilder, saved: TargetLogprobs, gradient: Value): Value {
  const probabilities = exponential(graph, saved.logprobs);
  const spread = multiply(graph, probabilities, negate(graph, sumLastAxis(graph, gradient)));
  return scatterAddLastAxis(graph, spread, saved.targets, gradient);
}
