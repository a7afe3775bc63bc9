import type { GraphBuilder } from "../onnx/graph-builder.js";
import { matMul } from "../onnx/operators/mat-mul.js";
import { dequantize, matMulQuantized, type QuantizedMatrix } from "../onnx/operators/quantized.js";
import { joinLastAxis } from "../onnx/operators/split.js";
import type { Value } from "../onnx/value.js";

/** The matrix `[out, in]` of a linear layer, which is not trained: float32, whole or in parts, or in few bits a number. */
export type FrozenMatrix = Value | PartedMatrix | QuantizedMatrix;

/**
 * A matrix whose rows are divided among several tensors. The runtime's product with one of very many rows is 2 to 5 times as slow as its
 * products with the parts: the numbers of a result that are computed together lie too far from each other.
 */
export interface PartedMatrix {
  /** Float32, `[some of out, in]`, in order. */
  readonly parts: readonly Value[];
}

/**
 * `x Wᵀ` for `x` of `[..., in]`.
 *
 * For 8 bits the runtime's fast product rounds `x` to 8 bits as well. Sampling takes it; training multiplies `x` as it is, by widened
 * weights, which for many rows is faster anyway. For 4 bits there is a fast product with float32, and both have equal numbers.
 */
export function timesTransposed(graph: GraphBuilder, input: Value, matrix: FrozenMatrix): Value {
  if (isWhole(matrix)) return matMul(graph, input, matrix, { transposeRight: true });
  if (isParted(matrix)) {
    return joinLastAxis(
      graph,
      matrix.parts.map((part) => matMul(graph, input, part, { transposeRight: true })),
    );
  }
  const isRounded = graph.isPacked && matrix.bits === 8;
  return matMulQuantized(graph, input, matrix, isRounded ? 4 : 1);
}

/**
 * `dy W` for `dy` of `[..., out]`. A quantized matrix is widened here, and not before: the runtime lets go of it after the product, so
 * that one of them is in memory at a time.
 */
export function times(graph: GraphBuilder, gradient: Value, matrix: FrozenMatrix): Value {
  if (isParted(matrix))
    throw new Error("the gradient of a matrix in parts is taken part by part, see headInParts");
  return matMul(graph, gradient, isWhole(matrix) ? matrix : dequantize(graph, matrix));
}

/** Tells whether a matrix is one float32 tensor. */
export function isWhole(matrix: FrozenMatrix): matrix is Value {
  return "name" in matrix;
}

export function isParted(matrix: FrozenMatrix): matrix is PartedMatrix {
  return "parts" in matrix;
}
