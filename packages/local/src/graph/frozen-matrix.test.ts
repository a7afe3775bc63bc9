import { describe, expect, it } from "vitest";
import type { QuantizedTensor } from "../model/model-tensors.js";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { quantizeRows } from "../quantization/quantize-rows.js";
import { dequantizeRows } from "../quantization/testing/dequantize-rows.js";
import { BLOCK_SIZE, type WeightBits } from "../quantization/weight-format.js";
import { randomStream } from "../random/random-stream.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { tensor } from "../runtime/tensor.js";
import { largestDifference } from "../training/testing/differences.js";
import { times, timesTransposed } from "./frozen-matrix.js";
import { quantizedMatrix } from "./quantized-matrix.js";

const ROWS = 7;

function numbers(name: string, length: number): Float32Array {
  const random = randomStream(3, name);
  return Float32Array.from({ length }, () => 2 * random() - 1);
}

function quantize(columns: number, bits: WeightBits) {
  const quantized = quantizeRows(numbers("weights", ROWS * columns), columns, bits, "w");
  const stored: QuantizedTensor = { bits, shape: [ROWS, columns], ...quantized };
  return { stored, widened: dequantizeRows(quantized, columns, bits) };
}

/** `left[i] · right[j]` over rows of one width, in double precision. */
function products(left: Float32Array, right: Float32Array, width: number): number[] {
  const rowsOf = (all: Float32Array) =>
    Array.from({ length: all.length / width }, (_, row) => all.subarray(row * width, (row + 1) * width));
  return rowsOf(left).flatMap((a) =>
    rowsOf(right).map((b) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)),
  );
}

/** Columns to rows and back. */
function turned(matrix: Float32Array, columns: number): Float32Array {
  const rows = matrix.length / columns;
  return Float32Array.from(matrix, (_, at) => matrix[(at % rows) * columns + Math.floor(at / rows)] ?? 0);
}

// Whole blocks, a last one that is filled up, one block that is not full, and an odd number of blocks.
const WIDTHS = [64, 40, 5, 96];

describe.each(["native", "wasm"] as const)("a quantized matrix on the %s runtime", (name) => {
  describe.each([8, 4] as const)("of %s bits", (bits) => {
    it.each(WIDTHS)(
      "gives the products of the numbers it stands for, %s columns, forward and back",
      async (columns) => {
        const { stored, widened } = quantize(columns, bits);
        const runtime = await createRuntime({ runtime: name, threads: 1 });
        const graph = new GraphBuilder({ isPacked: false });
        const matrix = quantizedMatrix(graph, "w", stored);
        const x = graph.input("x", "float32", [2, "time", columns]);
        const dy = graph.input("dy", "float32", [2, "time", ROWS]);
        const y = timesTransposed(graph, x, matrix);
        const dx = times(graph, dy, matrix);
        expect(y.shape).toEqual([2, "time", ROWS]);
        expect(dx.shape).toEqual([2, "time", columns]);
        const session = await runtime.compile(graph.build({ y, dx }));
        const input = numbers("x", 6 * columns);
        const gradient = numbers("dy", 6 * ROWS);
        const outputs = await session.run({
          x: tensor("float32", [2, 3, columns], input),
          dy: tensor("float32", [2, 3, ROWS], gradient),
        });
        await session.release();
        expect(largestDifference(outputs.float32("y"), products(input, widened, columns))).toBeLessThan(1e-5);
        const back = products(gradient, turned(widened, columns), ROWS);
        expect(largestDifference(outputs.float32("dx"), back)).toBeLessThan(1e-5);
      },
    );

    it.each(WIDTHS)(
      "samples with the same numbers, %s columns, but for the rounding of its input",
      async (columns) => {
        const { stored, widened } = quantize(columns, bits);
        const runtime = await createRuntime({ runtime: name, threads: 1 });
        const graph = new GraphBuilder();
        const x = graph.input("x", "float32", ["rows", columns]);
        const y = timesTransposed(graph, x, quantizedMatrix(graph, "w", stored));
        const session = await runtime.compile(graph.build({ y }));
        const input = numbers("x", columns);
        const outputs = await session.run({ x: tensor("float32", [1, columns], input) });
        await session.release();
        // Half a step of each block's input, times the magnitudes of the weights; with 4 bits nothing is rounded.
        const rounding = Float32Array.from(input, (_, at) => {
          const start = Math.floor(at / BLOCK_SIZE) * BLOCK_SIZE;
          const largest = input
            .slice(start, start + BLOCK_SIZE)
            .reduce((most, v) => Math.max(most, Math.abs(v)), 0);
          return bits === 8 ? (0.5 * largest) / 127 : 0;
        });
        const bounds = products(rounding, widened.map(Math.abs), columns);
        const exact = products(input, widened, columns);
        outputs.float32("y").forEach((value, row) => {
          expect(Math.abs(value - (exact[row] ?? Number.NaN))).toBeLessThan((bounds[row] ?? 0) + 1e-5);
        });
      },
    );
  });
});

it("a quantized matrix refuses an input of another width", () => {
  const graph = new GraphBuilder();
  const matrix = quantizedMatrix(graph, "w", quantize(64, 8).stored);
  const x = graph.input("x", "float32", ["rows", 63]);
  expect(() => timesTransposed(graph, x, matrix)).toThrow("[rows, 63] must have 64 columns");
});
