import type { GraphBuilder } from "../onnx/graph-builder.js";
import { matMul } from "../onnx/operators/mat-mul.js";
import { dequantize, matMulQuantized, type QuantizedMatrix } from "../onnx/operators/quantized.js";
import type { Value } from "../onnx/value.js";

/** The matrix `[out, in]` of a linear layer, which is not trained: float32, whole or in parts, or in few bits a number. */
export type FrozenMatrix = Value | PartedMatrix | QuantizedMatrix;

/** A matrix whose rows are divided among several tensors, so that their products need not be in memory together; see `headInParts`. */
export interface PartedMatrix {
  /** Float32, `[some of out, in]`, in order. */
  readonly parts: readonly Value[];
}

const PART_BY_PART = "a matrix in parts is multiplied part by part, see headInParts";

/**
 * `x Wᵀ` for `x` of `[..., in]`.
 *
 * For 8 bits the runtime's fast product rounds `x` to 8 bits as well. Sampling takes it; training multiplies `x` as it is, by widened
 * weights, which for many rows is faster anyway. For 4 bits there is a fast product with float32, and both have equal numbers.
 */
export function timesTransposed(graph: GraphBuilder, input: Value, matrix: FrozenMatrix): Value {
  if (isParted(matrix)) throw new Error(PART_BY_PART);
  if (isWhole(matrix)) return matMul(graph, input, matrix, { transposeRight: true });
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
