import type { QuantizedRows } from "../quantize-rows.js";
import { BLOCK_SIZE, blocksOf, type WeightBits } from "../weight-format.js";

/** Numbers that quantized rows stand for, by the formula that ONNX gives for DequantizeLinear. */
export function dequantizeRows(
  { packed, scales }: QuantizedRows,
  columns: number,
  bits: WeightBits,
): Float32Array {
  const blocks = blocksOf(columns);
  const rowCount = scales.length / blocks;
  const zero = 2 ** (bits - 1);
  const codeAt = (index: number) =>
    bits === 8
      ? (packed[index] ?? Number.NaN)
      : ((packed[index >> 1] ?? Number.NaN) >> (index % 2 === 0 ? 0 : 4)) & 15;
  return Float32Array.from({ length: rowCount * columns }, (_, at) => {
    const row = Math.floor(at / columns);
    const column = at % columns;
    const index = row * blocks * BLOCK_SIZE + column;
    return (codeAt(index) - zero) * (scales[Math.floor(index / BLOCK_SIZE)] ?? Number.NaN);
  });
}
