import { describeShape, type Shape } from "../dimension.js";
import { type GraphBuilder, microsoftDomain } from "../graph-builder.js";
import type { Value } from "../value.js";
import { broadcastShapes } from "./broadcast-shapes.js";

export interface MatMulOptions {
  /** Swap the last two axes of the left matrix first. */
  readonly transposeLeft?: boolean;
  /** Swap the last two axes of the right matrix first. */
  readonly transposeRight?: boolean;
  /** Multiplies the product. Default 1. */
  readonly scale?: number;
}

/** Matrix product over the last two axes; leading axes are batches and broadcast. */
export function matMul(graph: GraphBuilder, left: Value, right: Value, options: MatMulOptions = {}): Value {
  const { transposeLeft = false, transposeRight = false, scale = 1 } = options;
  const leftMatrix = matrixOf(left, transposeLeft);
  const rightMatrix = matrixOf(right, transposeRight);
  if (leftMatrix.columns !== rightMatrix.rows) {
    throw new Error(
      `MatMul: ${describeShape(left.shape)}${transposeLeft ? "ᵀ" : ""} has ${leftMatrix.columns} columns, ` +
        `${describeShape(right.shape)}${transposeRight ? "ᵀ" : ""} has ${rightMatrix.rows} rows`,
    );
  }
  const batch = broadcastShapes("MatMul", leftMatrix.batch, rightMatrix.batch);
  const shape = [...batch, leftMatrix.rows, rightMatrix.columns];
  const inputs = [left, right];
  if (!transposeLeft && !transposeRight && scale === 1) {
    return graph.node({ operator: "MatMul", inputs }, left.type, shape);
  }
  const attributes = {
    transA: { int: Number(transposeLeft) },
    transB: { int: Number(transposeRight) },
    alpha: { float: scale },
  };
  return graph.node(
    { operator: "FusedMatMul", domain: microsoftDomain, inputs, attributes },
    left.type,
    shape,
  );
}

function matrixOf(value: Value, isTransposed: boolean) {
  const batch: Shape = value.shape.slice(0, -2);
  const [rows, columns] = value.shape.slice(-2);
  if (rows === undefined || columns === undefined) {
    throw new Error(`MatMul: ${value.name} must be a matrix, got ${describeShape(value.shape)}`);
  }
  return isTransposed ? { batch, rows: columns, columns: rows } : { batch, rows, columns };
}
