import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add } from "../onnx/operators/elementwise.js";
import { type Span, sliceSpan } from "../onnx/operators/slice.js";
import { zerosLike } from "../onnx/operators/zeros.js";
import type { Value } from "../onnx/value.js";
import { type Blocks, forEachBlock } from "./blocks.js";
import type { LinearWeights } from "./lora-linear.js";
import { headAtOnce, type TargetHead } from "./target-head.js";

/**
 * The head by blocks of tokens, so that the logits of one block are in memory at a time; the backward half computes them again.
 *
 * @param hidden - normed, `[1, time, hidden]`
 * @param targets - int32 ids, `[1, time, K]`
 */
export function headInBlocks(
  graph: GraphBuilder,
  blocks: Blocks,
  hidden: Value,
  targets: Value,
  weights: LinearWeights,
): TargetHead {
  const headOf = (body: GraphBuilder, span: Span) =>
    headAtOnce(body, sliceSpan(body, hidden, 1, span), sliceSpan(body, targets, 1, span), weights);
  const forward = forEachBlock(graph, blocks, [], (body, span) => ({
    carried: [],
    joined: [headOf(body, span).logprobs],
  }));
  const [logprobs] = forward.joined;
  if (logprobs === undefined) throw new Error("the head must have log-probabilities");
  return {
    logprobs,
    backward(gradient) {
      const { adapter } = weights;
      const zeros = adapter === undefined ? [] : [zerosLike(graph, adapter.a), zerosLike(graph, adapter.b)];
      const { carried, joined } = forEachBlock(graph, blocks, zeros, (body, span, totals) => {
        const gradients = headOf(body, span).backward(sliceSpan(body, gradient, 1, span));
        const parts = gradients.adapter === undefined ? [] : [gradients.adapter.a, gradients.adapter.b];
        const sum = (part: Value, total: Value | undefined) =>
          total === undefined ? part : add(body, total, part);
        return {
          carried: parts.map((part, index) => sum(part, totals[index])),
          joined: [gradients.input],
        };
      });
      const [input] = joined;
      const [a, b] = carried;
      if (input === undefined) throw new Error("the head must have the gradient of its input");
      return a === undefined || b === undefined ? { input } : { input, adapter: { a, b } };
    },
  };
}
