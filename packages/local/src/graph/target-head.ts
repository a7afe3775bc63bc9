import type { GraphBuilder } from "../onnx/graph-builder.js";
import { gatherRows, scatterRows } from "../onnx/operators/gather.js";
import { flattenRows, reshapeLike } from "../onnx/operators/reshape.js";
import { zerosLike } from "../onnx/operators/zeros.js";
import type { Value } from "../onnx/value.js";
import type { LinearWeights } from "./lora-linear.js";
import { type LoraLinear, type LoraLinearGradients, loraLinear, loraLinearBackward } from "./lora-linear.js";
import { type TargetLogprobs, targetLogprobs, targetLogprobsBackward } from "./target-logprobs.js";

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
  const linear = loraLinear(graph, hidden, weights);
  const saved = targetLogprobs(graph, linear.output, targets);
  return {
    logprobs: saved.output,
    backward: (gradient) => headBackward(graph, linear, saved, gradient),
  };
}

/** Goes back through the tokens alone that have a gradient: a prompt without weights costs nothing here. */
function headBackward(
  graph: GraphBuilder,
  linear: LoraLinear,
  saved: TargetLogprobs,
  gradient: Value,
): LoraLinearGradients {
  const flatGradient = flattenRows(graph, gradient);
  const used = rowsInUse(graph, flatGradient);
  const pick = (value: Value) => gatherRows(graph, flattenRows(graph, value), used);
  const dLogits = targetLogprobsBackward(
    graph,
    { output: pick(saved.output), targets: pick(saved.targets), logprobs: pick(saved.logprobs) },
    pick(gradient),
  );
  const { low } = linear;
  const picked = {
    ...linear,
    input: pick(linear.input),
    ...(low === undefined ? {} : { low: { ...low, reduced: pick(low.reduced) } }),
  };
  const { input, ...adapter } = loraLinearBackward(graph, picked, dLogits);
  const dHidden = scatterRows(graph, zerosLike(graph, flattenRows(graph, linear.input)), used, input);
  return { input: reshapeLike(graph, dHidden, linear.input), ...adapter };
}

/** Numbers of the rows with anything but zeros in them, int64 `[used]`; NaN is not zero. */
function rowsInUse(graph: GraphBuilder, rows: Value): Value {
  const size = graph.node(
    { operator: "ReduceL1", inputs: [rows, graph.intVector([-1])], attributes: { keepdims: { int: 0 } } },
    rows.type,
    rows.shape.slice(0, -1),
  );
  const places = graph.node({ operator: "NonZero", inputs: [size] }, "int64", [1, "used"]);
  return graph.node({ operator: "Squeeze", inputs: [places, graph.intVector([0])] }, "int64", ["used"]);
}
