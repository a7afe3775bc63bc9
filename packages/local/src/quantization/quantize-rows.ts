import { ValidationError } from "@tinkex/base";
import { BLOCK_SIZE, blocksOf, type WeightBits } from "./weight-format.js";

/** Rows of a matrix in few bits, in the layout of ONNX Runtime's `MatMulNBits`. */
export interface QuantizedRows {
  /** `[rows, blocks, BLOCK_SIZE · bits / 8]`; of two numbers in a byte the first has the lower half. */
  readonly packed: Uint8Array;
  /** `[rows, blocks]`; a number is `(code − 2^(bits − 1)) · scale`. */
  readonly scales: Float32Array;
}

/** Blocks whose largest number is below this become zeros: their scale would be too small for a float32 to hold it precisely. */
const MIN_MAGNITUDE = 2 ** -110;

/** Blocks of larger numbers have the scale of this one, so that 127 times a scale which was rounded up is not infinite. */
const MAX_MAGNITUDE = 3.4e38;

/** Steps from 0 that are tried for the number of a block which is furthest from it. */
const STEPS: Readonly<Record<WeightBits, readonly number[]>> = { 8: [127], 4: [-8, -7.2, -7.6, -8.4, -8.8] };

/**
 * Rounds each number of a matrix to the nearest of 255 or 16 that its block has, which lie evenly around 0.
 *
 * 8 bits: the largest number is 127 steps from 0. 4 bits have 8 steps on one side of 0 and 7 on the other. The largest number lies on
 * the longer side, so that the scale may be negative, and of five lengths of a step the one is taken with the least sum of squares.
 *
 * @param rows - whole rows, row-major
 * @param tensor - its name, for messages
 * @throws ValidationError when a number is not finite
 */
export function quantizeRows(
  rows: Float32Array,
  columns: number,
  bits: WeightBits,
  tensor: string,
): QuantizedRows {
  const rowCount = rows.length / columns;
  const blocks = blocksOf(columns);
  const scales = new Float32Array(rowCount * blocks);
  const codes = new Uint8Array(rowCount * blocks * BLOCK_SIZE).fill(2 ** (bits - 1));
  for (let row = 0; row < rowCount; row += 1) {
    for (let block = 0; block < blocks; block += 1) {
      const start = row * columns + block * BLOCK_SIZE;
      const numbers = rows.subarray(start, Math.min(start + BLOCK_SIZE, (row + 1) * columns));
      const largest = largestOf(numbers);
      if (!Number.isFinite(largest)) throw notFinite(largest, tensor);
      if (Math.abs(largest) < MIN_MAGNITUDE) continue;
      const index = row * blocks + block;
      const scale = bestScale(numbers, largest, bits);
      scales[index] = scale;
      writeCodes(numbers, scale, bits, codes, index * BLOCK_SIZE);
    }
  }
  return { packed: bits === 8 ? codes : inHalves(codes), scales };
}

function bestScale(numbers: Float32Array, largest: number, bits: WeightBits): number {
  const bounded = Math.sign(largest) * Math.min(Math.abs(largest), MAX_MAGNITUDE);
  const scales = STEPS[bits].map((steps) => Math.fround(bounded / steps));
  const [first = 0] = scales;
  if (scales.length === 1) return Math.abs(first);
  let best = { scale: first, error: Number.POSITIVE_INFINITY };
  for (const scale of scales) {
    const error = squaredError(numbers, scale, bits);
    if (error < best.error) best = { scale, error };
  }
  return best.scale;
}

function squaredError(numbers: Float32Array, scale: number, bits: WeightBits): number {
  const low = -(2 ** (bits - 1));
  const inverse = 1 / scale;
  let sum = 0;
  for (let at = 0; at < numbers.length; at += 1) {
    const steps = (numbers[at] ?? 0) * inverse;
    const difference = steps - Math.max(low, Math.min(-low - 1, Math.round(steps)));
    sum += difference * difference;
  }
  return sum * scale * scale;
}

function writeCodes(
  numbers: Float32Array,
  scale: number,
  bits: WeightBits,
  codes: Uint8Array,
  start: number,
): void {
  const zero = 2 ** (bits - 1);
  const inverse = 1 / scale;
  for (let at = 0; at < numbers.length; at += 1) {
    const code = Math.round((numbers[at] ?? 0) * inverse) + zero;
    codes[start + at] = Math.max(0, Math.min(2 * zero - 1, code));
  }
}

/** The number furthest from 0, or the first that is not finite. */
function largestOf(numbers: Float32Array): number {
  let largest = 0;
  let magnitude = 0;
  for (let at = 0; at < numbers.length; at += 1) {
    const value = numbers[at] ?? 0;
    const found = Math.abs(value);
    if (found > magnitude) {
      magnitude = found;
      largest = value;
    } else if (Number.isNaN(found)) return found;
  }
  return largest;
}

/** Puts two codes of 4 bits into a byte. */
function inHalves(codes: Uint8Array): Uint8Array {
  const packed = new Uint8Array(codes.length / 2);
  for (let at = 0; at < packed.length; at += 1) {
    packed[at] = (codes[2 * at] ?? 0) | ((codes[2 * at + 1] ?? 0) << 4);
  }
  return packed;
}

function notFinite(value: number, tensor: string): ValidationError {
  return new ValidationError(
    `tensor "${tensor}" must hold finite numbers to be quantized, got ${value}; choose the weights "float32", or mend the model`,
  );
}
