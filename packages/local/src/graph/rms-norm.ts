import type { GraphBuilder } from "../onnx/graph-builder.js";
import { multiply, subtract } from "../onnx/operators/elementwise.js";
import { meanLastAxis } from "../onnx/operators/reduce.js";
import type { Value } from "../onnx/value.js";

export interface RmsNorm {
  readonly output: Value;
  readonly input: Value;
  readonly weight: Value;
  /** 1 / sqrt(mean(x²) + ε), one number a row. */
  readonly inverseRms: Value;
}

/** `y = x / sqrt(mean(x²) + ε) · w` over the last axis; `weight` has the length of that axis and is frozen. */
export function rmsNorm(graph: GraphBuilder, input: Value, weight: Value, epsilon: number): RmsNorm {
  // ONNX Runtime's fused form of this norm; its second output is what the backward half needs.
  const [output, inverseRms] = graph.nodeWithOutputs(
    {
      operator: "SimplifiedLayerNormalization",
      inputs: [input, weight],
      attributes: { axis: { int: -1 }, epsilon: { float: epsilon }, stash_type: { int: 1 } },
    },
    [
      { type: input.type, shape: input.shape },
      { type: input.type, shape: [...input.shape.slice(0, -1), 1] },
    ],
  );
  if (output === undefined || inverseRms === undefined)
    throw new Error("RMSNorm: must have one output, got two");
  return { output, input, weight, inverseRms };
}

/**
 * dL/dx from dL/dy. With r the inverse root mean square and mean over the row,
 * `dx = r · (dy·w − x · r · mean(dy·y))`, because `dy·w·(x·r) = dy·y`.
 */
export function rmsNormBackward(graph: GraphBuilder, norm: RmsNorm, gradient: Value): Value {
  const { input, output, weight, inverseRms } = norm;
  const along = multiply(graph, inverseRms, meanLastAxis(graph, multiply(graph, gradient, output)));
  const direct = multiply(graph, gradient, weight);
  return multiply(graph, inverseRms, subtract(graph, direct, multiply(graph, input, along)));
}
