import { describeShape } from "../dimension.js";
import { type GraphBuilder, microsoftDomain } from "../graph-builder.js";
import type { Value } from "../value.js";
import { sliceLastAxis } from "./slice.js";

/** A matrix `[rows, columns]` in few bits a number: `(code − 2^(bits − 1)) · scale`, with a scale for each block of a row. */
export interface QuantizedMatrix {
  readonly bits: 8 | 4;
  readonly blockSize: number;
  readonly rows: number;
  readonly columns: number;
  /** uint8, `[rows, blocks, blockSize · bits / 8]`: the last block of a row is filled up. */
  readonly packed: Value;
  /** The same bytes as uint8 or uint4, `[rows, blocks · blockSize]`. */
  readonly codes: Value;
  /** float32, `[rows, blocks]` */
  readonly scales: Value;
}

/**
 * `x Wᵀ` for `x` of `[..., columns]`.
 *
 * @param accuracyLevel - 1 multiplies in float32; 4 rounds `x` to 8 bits by blocks and multiplies whole numbers, where the runtime has that
 */
export function matMulQuantized(
  graph: GraphBuilder,
  input: Value,
  matrix: QuantizedMatrix,
  accuracyLevel: 1 | 4,
): Value {
  const { bits, blockSize, rows, columns, packed, scales } = matrix;
  requireWidth("MatMulNBits", input, columns);
  const attributes = {
    K: { int: columns },
    N: { int: rows },
    bits: { int: bits },
    block_size: { int: blockSize },
    accuracy_level: { int: accuracyLevel },
  };
  return graph.node(
    { operator: "MatMulNBits", domain: microsoftDomain, inputs: [input, packed, scales], attributes },
    input.type,
    [...input.shape.slice(0, -1), rows],
  );
}

/** The matrix as float32, `[rows, columns]`: the numbers that {@link matMulQuantized} multiplies by. */
export function dequantize(graph: GraphBuilder, matrix: QuantizedMatrix): Value {
  const { bits, blockSize, rows, columns, codes, scales } = matrix;
  const [, width = 0] = codes.shape;
  const blocks = Number(width) / blockSize;
  const zeroPoints = graph.initializer(
    `zeroPoints.${bits}.${rows}.${blocks}`,
    bits === 8 ? "uint8" : "uint4",
    [rows, blocks],
    new Uint8Array(Math.ceil((rows * blocks * bits) / 8)).fill(bits === 8 ? 0x80 : 0x88),
  );
  const attributes = { axis: { int: 1 }, block_size: { int: blockSize } };
  const filledUp = graph.node(
    { operator: "DequantizeLinear", inputs: [codes, scales, zeroPoints], attributes },
    "float32",
    codes.shape,
  );
  return width === columns ? filledUp : sliceLastAxis(graph, filledUp, columns);
}

function requireWidth(operator: string, input: Value, columns: number): void {
  if (input.shape.at(-1) === columns) return;
  throw new Error(
    `${operator}: ${describeShape(input.shape)} must have ${columns} columns, as the matrix has`,
  );
}
