import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add, multiply, sigmoid, silu, subtract } from "../onnx/operators/elementwise.js";
import type { Value } from "../onnx/value.js";

export interface SwiGlu {
  readonly output: Value;
  readonly gate: Value;
  readonly up: Value;
  readonly activated: Value;
}

/** `silu(gate) · up` with `silu(x) = x · sigmoid(x)`. */
export function swiGlu(graph: GraphBuilder, gate: Value, up: Value): SwiGlu {
  const activated = silu(graph, gate);
  return { output: multiply(graph, activated, up), gate, up, activated };
}

/** Gradients of gate and up. With σ the sigmoid of the gate, `silu' = σ + silu · (1 − σ)`. */
export function swiGluBackward(graph: GraphBuilder, saved: SwiGlu, gradient: Value) {
  const { gate, up, activated } = saved;
  const slope = sigmoid(graph, gate);
  const rest = multiply(graph, activated, subtract(graph, graph.scalar(1), slope));
  return {
    gate: multiply(graph, multiply(graph, gradient, up), add(graph, slope, rest)),
    up: multiply(graph, gradient, activated),
  };
}
