import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add } from "../onnx/operators/elementwise.js";
import { reshape } from "../onnx/operators/reshape.js";
import type { Value } from "../onnx/value.js";
import type { AdapterGradients } from "./adapter-gradients.js";
import type { AttentionInputs } from "./attention.js";
import { type LoraLinear, loraLinear, loraLinearBackward } from "./lora-linear.js";
import type { ModelValues } from "./model-values.js";
import { type RmsNorm, rmsNorm, rmsNormBackward } from "./rms-norm.js";
import { type Rope, rotate, rotateBackward } from "./rope.js";

/** Queries, keys and values of a layer, normed where the architecture does so, and turned to their positions. */
export interface AttentionProjections extends AttentionInputs {
  readonly layer: number;
  readonly rope: Rope;
  readonly saved: Readonly<Record<Projection, Projected>>;
}

type Projection = "q" | "k" | "v";

interface Projected {
  readonly linear: LoraLinear;
  readonly norm?: RmsNorm;
}

/** @param input - the normed residual stream, `[rows, time, hidden]` */
export function attentionProjections(
  graph: GraphBuilder,
  model: ModelValues,
  layer: number,
  input: Value,
  rope: Rope,
): AttentionProjections {
  const { headCount, keyValueHeadCount } = model.config;
  const linear = (name: Projection) =>
    loraLinear(graph, input, model.linear(`model.layers.${layer}.self_attn.${name}_proj`));
  const saved = {
    q: normedHeads(graph, model, layer, "q", linear("q"), headCount),
    k: normedHeads(graph, model, layer, "k", linear("k"), keyValueHeadCount),
    v: { linear: linear("v") },
  };
  return {
    queries: rotate(graph, rope, projectionOutput(graph, saved.q), headCount),
    keys: rotate(graph, rope, projectionOutput(graph, saved.k), keyValueHeadCount),
    values: projectionOutput(graph, saved.v),
    layer,
    rope,
    saved,
  };
}

/** Gradient of the input from those of queries, keys and values. */
export function attentionProjectionsBackward(
  graph: GraphBuilder,
  model: ModelValues,
  projections: AttentionProjections,
  gradients: AttentionInputs,
  adapters: AdapterGradients,
): Value {
  const { layer, rope, saved } = projections;
  const { headCount, keyValueHeadCount } = model.config;
  const through = (name: Projection, gradient: Value): Value => {
    const { linear, norm } = saved[name];
    const beforeNorm =
      norm === undefined
        ? gradient
        : reshape(
            graph,
            rmsNormBackward(graph, norm, reshape(graph, gradient, norm.input.shape)),
            linear.output.shape,
          );
    const module = `model.layers.${layer}.self_attn.${name}_proj`;
    return adapters.take(module, loraLinearBackward(graph, linear, beforeNorm));
  };
  const queries = through("q", rotateBackward(graph, rope, gradients.queries, headCount));
  const keys = through("k", rotateBackward(graph, rope, gradients.keys, keyValueHeadCount));
  return add(graph, add(graph, queries, keys), through("v", gradients.values));
}

/** Qwen 3 norms every head of queries and keys on its own. */
function normedHeads(
  graph: GraphBuilder,
  model: ModelValues,
  layer: number,
  name: "q" | "k",
  linear: LoraLinear,
  heads: number,
): Projected {
  const { queryKeyNorm, headSize, rmsNormEpsilon } = model.config;
  if (!queryKeyNorm) return { linear };
  const byHead = reshape(graph, linear.output, [...linear.output.shape.slice(0, -1), heads, headSize]);
  const weight = model.norm(`model.layers.${layer}.self_attn.${name}_norm`);
  return { linear, norm: rmsNorm(graph, byHead, weight, rmsNormEpsilon) };
}

function projectionOutput(graph: GraphBuilder, { linear, norm }: Projected): Value {
  return norm === undefined ? linear.output : reshape(graph, norm.output, linear.output.shape);
}
