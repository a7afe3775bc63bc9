import type { GraphBuilder } from "../onnx/graph-builder.js";
import {
  add,
  and,
  exponential,
  greaterOrEqual,
  maximum,
  minimum,
  multiply,
  negate,
  not,
  select,
  subtract,
} from "../onnx/operators/elementwise.js";
import { gatherLastAxis, scatterAddLastAxis } from "../onnx/operators/gather.js";
import { maxLastAxis, sumLastAxis } from "../onnx/operators/reduce.js";
import { sliceSpan } from "../onnx/operators/slice.js";
import { logSoftmax } from "../onnx/operators/softmax.js";
import { joinFirstAxis, joinLastAxis, splitLastAxis } from "../onnx/operators/split.js";
import type { Value } from "../onnx/value.js";
import type { PartedMatrix } from "./frozen-matrix.js";
import {
  type LinearWeights,
  type LoraLinear,
  type LoraLinearGradients,
  loraLinear,
  loraLinearBackward,
} from "./lora-linear.js";
import type { TargetHead } from "./target-head.js";
import { pickedLinear, tokensInUse } from "./tokens-in-use.js";

/** An unembedding in parts. */
interface PartedWeights extends LinearWeights {
  readonly weight: PartedMatrix;
}

/** The log-probabilities of a stretch of the vocabulary. */
interface Part {
  readonly linear: LoraLinear;
  /** Log-probabilities under the softmax of this part alone, `[rows, time, size]`. */
  readonly own: Value;
  /** The largest logit, and its log-probability in this part, `[rows, time, 1]`. */
  readonly top: Value;
  readonly ownTop: Value;
  /** Places of the targets in this part, or its nearest ones, int32 `[rows, time, K]`. */
  readonly places: Value;
  /** True for targets in this part. */
  readonly isHere: Value;
}

/**
 * The head of a vocabulary in parts, none of which are joined: of all logits there is one copy in memory. A softmax over all is that over
 * each part times the part's share, and the shares are a softmax of the parts' normalizers, the logarithms of their sums of exponentials.
 */
export function headInParts(
  graph: GraphBuilder,
  hidden: Value,
  targets: Value,
  weights: PartedWeights,
): TargetHead {
  let start = 0;
  const saved = layersOf(graph, weights).map((layer) => {
    const part = partOf(graph, loraLinear(graph, hidden, layer), targets, start);
    start += Number(part.own.shape.at(-1));
    return part;
  });
  const shares = sharesOf(graph, saved);
  const withShares = saved.map((part, index) => ({ ...part, share: shares[index] ?? part.top }));
  const logprobs = withShares
    .map(({ own, places, isHere, share }) => ({
      isHere,
      found: add(graph, gatherLastAxis(graph, own, places), share),
    }))
    .reduce((before, part) => ({
      ...part,
      found: select(graph, part.isHere, part.found, before.found),
    })).found;
  return { logprobs, backward: (gradient) => backward(graph, hidden, withShares, gradient) };
}

/**
 * Logarithm of each part's share. A part's normalizer is its largest logit less the log-probability of that; the largest of all is taken out
 * first, so that large logits cost no digits.
 */
function sharesOf(graph: GraphBuilder, parts: readonly Part[]): readonly Value[] {
  const join = (key: "top" | "ownTop") =>
    joinLastAxis(
      graph,
      parts.map((part) => part[key]),
    );
  const tops = join("top");
  const normalizers = subtract(graph, subtract(graph, tops, maxLastAxis(graph, tops)), join("ownTop"));
  return splitLastAxis(
    graph,
    logSoftmax(graph, normalizers),
    parts.map(() => 1),
  );
}

function partOf(graph: GraphBuilder, linear: LoraLinear, targets: Value, start: number): Part {
  const logits = linear.output;
  const own = logSoftmax(graph, logits);
  const size = Number(own.shape.at(-1));
  const id = (value: number) => graph.initializer(`id.${value}`, "int32", [], Int32Array.of(value));
  const offset = subtract(graph, targets, id(start));
  return {
    linear,
    own,
    top: maxLastAxis(graph, logits),
    ownTop: maxLastAxis(graph, own),
    places: minimum(graph, maximum(graph, offset, id(0)), id(size - 1)),
    isHere: and(
      graph,
      greaterOrEqual(graph, offset, id(0)),
      not(graph, greaterOrEqual(graph, offset, id(size))),
    ),
  };
}

/** The formula is that of `targetLogprobsBackward`, part by part; see `tokensInUse`. */
function backward(
  graph: GraphBuilder,
  hidden: Value,
  parts: readonly (Part & { readonly share: Value })[],
  gradient: Value,
): LoraLinearGradients {
  const used = tokensInUse(graph, gradient);
  const dLogprobs = used.pick(gradient);
  const spread = negate(graph, sumLastAxis(graph, dLogprobs));
  const input = used.pick(hidden);
  const gradients = parts.map(({ linear, own, places, isHere, share }) => {
    const probabilities = exponential(graph, add(graph, used.pick(own), used.pick(share)));
    const ownGradient = select(graph, used.pick(isHere), dLogprobs, graph.scalar(0));
    const dLogits = scatterAddLastAxis(
      graph,
      multiply(graph, probabilities, spread),
      used.pick(places),
      ownGradient,
    );
    return loraLinearBackward(graph, pickedLinear(linear, input, used), dLogits);
  });
  const sum = (values: readonly Value[]) => values.reduce((total, value) => add(graph, total, value));
  const adapters = gradients.flatMap(({ adapter }) => adapter ?? []);
  const dInput = used.putBack(sum(gradients.map((part) => part.input)), hidden);
  if (adapters.length === 0) return { input: dInput };
  const adapter = {
    a: sum(adapters.map(({ a }) => a)),
    b: joinFirstAxis(
      graph,
      adapters.map(({ b }) => b),
    ),
  };
  return { input: dInput, adapter };
}

/** A linear layer in parts as a layer for each part, with its rows of the adapter. */
function layersOf(graph: GraphBuilder, { weight, adapter, bias }: PartedWeights): LinearWeights[] {
  if (bias !== undefined) throw new Error("a matrix in parts must have no bias, got one");
  let start = 0;
  return weight.parts.map((part) => {
    const length = Number(part.shape[0]);
    const span = { start: graph.intVector([start]), end: graph.intVector([start + length]), length };
    start += length;
    if (adapter === undefined) return { weight: part };
    return { weight: part, adapter: { ...adapter, b: sliceSpan(graph, adapter.b, 0, span) } };
  });
}
