import type { GraphBuilder } from "../onnx/graph-builder.js";
import { and, equal, exponential, multiply, not, select, subtract } from "../onnx/operators/elementwise.js";
import type { Value } from "../onnx/value.js";

export interface MaskedRatio {
  /** `w ≠ 0` and `A ≠ 0` */
  readonly active: Value;
  /** `exp(p − q)`, and 1 where a token is masked: the exponent is masked, so that it cannot overflow there. */
  readonly ratio: Value;
  /** `w · A`, 0 where a token is masked. */
  readonly weightedAdvantages: Value;
}

/** Inputs of every loss that weighs the learner against the sampler. */
type RatioInputs = Readonly<Record<"logprobs" | "advantages" | "weights", Value>>;

export function maskedRatio(
  graph: GraphBuilder,
  p: Value,
  { logprobs: q, advantages, weights }: RatioInputs,
): MaskedRatio {
  const active = and(graph, isNonZero(graph, weights), isNonZero(graph, advantages));
  const exponent = select(graph, active, subtract(graph, p, q), graph.scalar(0));
  return {
    active,
    ratio: exponential(graph, exponent),
    weightedAdvantages: multiply(graph, weights, advantages),
  };
}

export const isNonZero = (graph: GraphBuilder, value: Value) =>
  not(graph, equal(graph, value, graph.scalar(0)));
