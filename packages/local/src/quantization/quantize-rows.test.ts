import { ValidationError } from "@tinkex/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantizeRows } from "./quantize-rows.js";
import { dequantizeRows } from "./testing/dequantize-rows.js";
import { BLOCK_SIZE, blocksOf, type WeightBits } from "./weight-format.js";

const LARGEST = 3.4028234663852886e38;
const SMALLEST = 2 ** -149;

/** Blocks as weights have them, and those that a rounding could fail at. */
const block = fc.oneof(
  fc.array(fc.float({ noNaN: true, noDefaultInfinity: true, min: -1, max: 1 }), { maxLength: BLOCK_SIZE }),
  fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { maxLength: BLOCK_SIZE }),
  fc.array(fc.constantFrom(0, -0, SMALLEST, -SMALLEST, 2 ** -126, 2 ** -111, LARGEST, -LARGEST), {
    maxLength: BLOCK_SIZE,
  }),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => new Array(BLOCK_SIZE).fill(value)),
  fc
    .integer({ min: 0, max: BLOCK_SIZE - 1 })
    .map((at) => Array.from({ length: BLOCK_SIZE }, (_, i) => (i === at ? 1e6 : 1e-3))),
);
const rows = fc
  .tuple(fc.integer({ min: 1, max: 3 * BLOCK_SIZE }), fc.array(block, { minLength: 1, maxLength: 12 }))
  .map(([columns, blocks]) => {
    const numbers = blocks.flat();
    const rowCount = Math.max(1, Math.ceil(numbers.length / columns));
    const filled = new Float32Array(rowCount * columns);
    filled.set(numbers);
    return { columns, numbers: filled };
  });

/** Parts of a block's largest number by which any may be off: half a step; or, of 4 bits with a step of 1 / 8.8, 8.8 steps less the 7 on the shorter side. */
const BOUNDS: Readonly<Record<WeightBits, number>> = { 8: 0.5 / 127, 4: 1.8 / 8.8 };

describe.each([8, 4] as const)("quantizeRows, %s bits", (bits) => {
  it("keeps each number within a step of its block, and gives no number that is not finite", () => {
    fc.assert(
      fc.property(rows, ({ columns, numbers }) => {
        const quantized = quantizeRows(numbers, columns, bits, "w");
        const blocks = blocksOf(columns);
        expect(quantized.packed).toHaveLength(((numbers.length / columns) * blocks * BLOCK_SIZE * bits) / 8);
        expect(quantized.scales).toHaveLength((numbers.length / columns) * blocks);
        const found = dequantizeRows(quantized, columns, bits);
        found.forEach((value, at) => {
          const row = Math.floor(at / columns);
          const start = row * columns + Math.floor((at % columns) / BLOCK_SIZE) * BLOCK_SIZE;
          const inBlock = numbers.subarray(start, Math.min(start + BLOCK_SIZE, (row + 1) * columns));
          const largest = inBlock.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
          // The scale, and the number that is made with it, are rounded to float32.
          const bound = Math.max(BOUNDS[bits] * largest + largest * 2 ** -22, 2 ** -110);
          expect(Math.abs(value - (numbers[at] ?? Number.NaN))).toBeLessThanOrEqual(bound);
        });
      }),
      { numRuns: 300 },
    );
  });

  it("keeps zeros as they are, and the number of each block that is furthest from 0 but for a step", () => {
    const numbers = Float32Array.from({ length: 2 * BLOCK_SIZE }, (_, i) => (i % 3 === 0 ? 0 : Math.sin(i)));
    numbers[5] = -4;
    numbers[BLOCK_SIZE + 7] = 2;
    const found = dequantizeRows(quantizeRows(numbers, 2 * BLOCK_SIZE, bits, "w"), 2 * BLOCK_SIZE, bits);
    const within = bits === 8 ? 1e-6 : 0.1;
    expect(Math.abs((found[5] ?? 0) / -4 - 1)).toBeLessThan(within);
    expect(Math.abs((found[BLOCK_SIZE + 7] ?? 0) / 2 - 1)).toBeLessThan(within);
    numbers.forEach((number, at) => {
      if (number === 0) expect(Math.abs(found[at] ?? Number.NaN)).toBe(0);
    });
  });

  it("gives each block a scale of its own, so that an outlier costs its block alone", () => {
    const numbers = new Float32Array(2 * BLOCK_SIZE).fill(0.5);
    numbers[0] = 1000;
    const found = dequantizeRows(quantizeRows(numbers, 2 * BLOCK_SIZE, bits, "w"), 2 * BLOCK_SIZE, bits);
    expect(found[1]).not.toBeCloseTo(0.5, 1);
    expect(found[BLOCK_SIZE]).toBeCloseTo(0.5, 6);
  });

  it("fills the last block of a row up with zeros", () => {
    const { packed } = quantizeRows(new Float32Array(33).fill(1), 33, bits, "w");
    const zero = bits === 8 ? 0x80 : 0x88;
    expect([...packed.subarray((40 * bits) / 8)].every((byte) => byte === zero)).toBe(true);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "refuses %s by the name of the tensor",
    (value) => {
      const numbers = new Float32Array(40).fill(1);
      numbers[37] = value;
      const attempt = () => quantizeRows(numbers, 40, bits, "model.layers.0.mlp.up_proj.weight");
      expect(attempt).toThrow(ValidationError);
      expect(attempt).toThrow(
        `tensor "model.layers.0.mlp.up_proj.weight" must hold finite numbers to be quantized, got ${value}`,
      );
    },
  );
});

it("quantizeRows puts the first of two numbers of 4 bits into the lower half of their byte", () => {
  const numbers = new Float32Array(BLOCK_SIZE);
  numbers.set([-8, 3, 0, 7]);
  const { packed, scales } = quantizeRows(numbers, BLOCK_SIZE, 4, "w");
  expect([...scales]).toEqual([1]);
  expect([...packed.subarray(0, 2)]).toEqual([0xb0, 0xf8]);
});
