import type { GraphBuilder } from "../onnx/graph-builder.js";
import { add, multiply } from "../onnx/operators/elementwise.js";
import { matMul } from "../onnx/operators/mat-mul.js";
import { flattenRows } from "../onnx/operators/reshape.js";
import { transpose } from "../onnx/operators/transpose.js";
import type { Value } from "../onnx/value.js";
import { type FrozenMatrix, isWhole, times, timesTransposed } from "./frozen-matrix.js";

/** A frozen matrix `[out, in]` with an optional bias `[out]` and an optional trainable low-rank change. */
export interface LinearWeights {
  readonly weight: FrozenMatrix;
  readonly bias?: Value | undefined;
  readonly adapter?: LoraAdapter | undefined;
}

export interface LoraAdapter {
  /** `[rank, in]` */
  readonly a: Value;
  /** `[out, rank]` */
  readonly b: Value;
  /** α / rank, a float32 scalar. */
  readonly scale: Value;
  /** True where the change is added to the matrix and not to its products, where that is one float32 tensor. Default false. */
  readonly isMerged?: boolean;
}

export interface LoraLinear {
  readonly output: Value;
  readonly input: Value;
  /** Matrix that the input was multiplied by. */
  readonly matrix: FrozenMatrix;
  readonly low?: LowRank;
}

interface LowRank {
  readonly a: Value;
  /** B times the scale: scaling the small matrix is cheaper than scaling the activations. */
  readonly scaledB: Value;
  readonly scale: Value;
  /** `x Aᵀ` */
  readonly reduced: Value;
  /** True where the matrix has the change in it. */
  readonly isMerged: boolean;
}

/** `y = x Wᵀ + bias + scale · (x Aᵀ) Bᵀ`, or merged `x (W + scale · B A)ᵀ + bias`, for `x` of `[..., in]`. */
export function loraLinear(graph: GraphBuilder, input: Value, weights: LinearWeights): LoraLinear {
  const { weight, bias, adapter } = weights;
  const product = (matrix: FrozenMatrix) => {
    const output = timesTransposed(graph, input, matrix);
    return bias === undefined ? output : add(graph, output, bias);
  };
  if (adapter === undefined) return { output: product(weight), input, matrix: weight };
  const { a, b, scale, isMerged = false } = adapter;
  const scaledB = multiply(graph, b, scale);
  const reduced = matMul(graph, input, a, { transposeRight: true });
  const low = { a, scaledB, scale, reduced };
  if (isMerged && isWhole(weight)) {
    const matrix = add(graph, weight, matMul(graph, scaledB, a));
    return { output: product(matrix), input, matrix, low: { ...low, isMerged } };
  }
  const change = matMul(graph, reduced, scaledB, { transposeRight: true });
  const output = add(graph, product(weight), change);
  return { output, input, matrix: weight, low: { ...low, isMerged: false } };
}

export interface LoraLinearGradients {
  readonly input: Value;
  /** Absent without an adapter. */
  readonly adapter?: { readonly a: Value; readonly b: Value };
}

/**
 * `dx = dy W + (dy sB) A`, or merged `dx = dy (W + sB A)`, `dA = (dy sB)ᵀ x`, `dB = s · dyᵀ (x Aᵀ)`; the frozen matrix and bias
 * get none.
 */
export function loraLinearBackward(
  graph: GraphBuilder,
  saved: LoraLinear,
  gradient: Value,
): LoraLinearGradients {
  const throughMatrix = times(graph, gradient, saved.matrix);
  if (saved.low === undefined) return { input: throughMatrix };
  const { a, scaledB, scale, reduced, isMerged } = saved.low;
  const dReduced = matMul(graph, gradient, scaledB);
  const dA = matMul(graph, flattenRows(graph, dReduced), flattenRows(graph, saved.input), {
    transposeLeft: true,
  });
  // As (x Aᵀ)ᵀ dy and then turned: the product with the short side first is several times faster than dyᵀ (x Aᵀ).
  const turnedB = matMul(graph, flattenRows(graph, reduced), flattenRows(graph, gradient), {
    transposeLeft: true,
  });
  const dB = transpose(graph, turnedB, [1, 0]);
  return {
    input: isMerged ? throughMatrix : add(graph, throughMatrix, matMul(graph, dReduced, a)),
    adapter: { a: dA, b: multiply(graph, dB, scale) },
  };
}
