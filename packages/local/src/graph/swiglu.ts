import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add, multiply, sigmoid, silu, subtract } from "../onnx/operators/elementwise.js";
import type { Value } from "../onnx/value.js";

export interface SwiGlu {
  readonly output: Value;
  readonly gate: Value;
  readonly up: Value;
  readonly activated: Value;
  /** σ(gate), where it was needed. */
  readonly slope?: Value;
}

/** `silu(gate) · up` with `silu(x) = x · sigmoid(x)`. */
export function swiGlu(graph: GraphBuilder, gate: Value, up: Value): SwiGlu {
  const activated = silu(graph, gate);
  return { output: multiply(graph, activated, up), gate, up, activated };
}

/**
 * The saved values computed again from gate and up: two products less in memory for each layer until its backward half, which asks for them
 * only then, for two multiplications more.
 */
export function swiGluAgain(graph: GraphBuilder, { gate, up }: SwiGlu): SwiGlu {
  const slope = sigmoid(graph, gate);
  const activated = multiply(graph, gate, slope);
  return { output: multiply(graph, activated, up), gate, up, activated, slope };
}

/** Gradients of gate and up. With σ the sigmoid of the gate, `silu' = σ + silu · (1 − σ)`. */
export function swiGluBackward(graph: GraphBuilder, saved: SwiGlu, gradient: Value) {
  const { gate, up, activated, slope = sigmoid(graph, gate) } = saved;
  const rest = multiply(graph, activated, subtract(graph, graph.scalar(1), slope));
  return {
    gate: multiply(graph, multiply(graph, gradient, up), add(graph, slope, rest)),
    up: multiply(graph, gradient, activated),
  };
}
