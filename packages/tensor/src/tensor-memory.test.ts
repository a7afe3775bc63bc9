import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TensorData } from "./tensor-data.js";
import { TensorMemory } from "./tensor-memory.js";

describe("a length that is none", () => {
  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])("is refused: %s", (length) => {
    const memory = new TensorMemory();
    for (const allocate of [() => memory.int32(length), () => memory.float32(length)])
      expect(allocate).toThrow(/^TensorMemory: length must be a whole number of 0 or more, got /);
  });
});

describe("TensorMemory", () => {
  it("gives arrays that do not overlap, many of them in one buffer", () => {
    const wanted = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 6000 })), { maxLength: 60 });
    fc.assert(
      fc.property(wanted, (lengths) => {
        const memory = new TensorMemory();
        const arrays = lengths.map(([floats, length]) =>
          floats ? memory.float32(length) : memory.int32(length),
        );
        for (const [index, array] of arrays.entries()) array.fill(index + 1);
        for (const [index, array] of arrays.entries()) {
          expect(array.length).toBe(lengths[index]?.[1]);
          expect(array.every((value) => value === index + 1)).toBe(true);
        }
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it("makes few buffers for many small arrays, and holds little for one", () => {
    const memory = new TensorMemory();
    const first = memory.float32(3);
    expect(first.buffer.byteLength).toBe(4096);
    const buffers = new Set(Array.from({ length: 1000 }, () => memory.int32(100).buffer));
    expect(buffers.size).toBeLessThan(12);
  });

  it("leaves a large array a buffer of its own", () => {
    const large = new TensorMemory().float32(5000);
    expect(large.buffer.byteLength).toBe(20_000);
  });

  it("has a batch after another in one buffer, which then stays the same", () => {
    const memory = new TensorMemory();
    let kept = 0;
    const batch = () => {
      const arrays = [memory.int32(10_000), ...Array.from({ length: 100 }, () => memory.float32(512))];
      const buffers = new Set(arrays.map(({ buffer }) => buffer));
      kept = memory.clear();
      return [...buffers];
    };
    expect(batch().length).toBeGreaterThan(2);
    const second = batch();
    expect(second).toHaveLength(1);
    expect(batch()[0]).toBe(second[0]);
    expect(kept).toBe(4 * (10_000 + 100 * 512));
  });

  it("lets go of a buffer that is too large for a batch", () => {
    const memory = new TensorMemory();
    const kept = [100_000, 100_000, 49_999].map((length) => {
      memory.int32(length);
      return memory.clear();
    });
    expect(kept).toEqual([0, 400_000, 0]);
    expect(memory.int32(49_999).buffer.byteLength).toBe(4 * 49_999);
  });

  it("gives arrays that do not overlap, a batch after another", () => {
    const wanted = fc.array(fc.array(fc.integer({ min: 0, max: 6000 }), { maxLength: 20 }), { maxLength: 8 });
    fc.assert(
      fc.property(wanted, (batches) => {
        const memory = new TensorMemory();
        for (const lengths of batches) {
          const arrays = lengths.map((length) => memory.int32(length));
          for (const [index, array] of arrays.entries()) array.fill(index + 1);
          for (const [index, array] of arrays.entries()) {
            expect(array.length).toBe(lengths[index]);
            expect(array.every((value) => value === index + 1)).toBe(true);
          }
          memory.clear();
        }
      }),
      { numRuns: 100, seed: 1 },
    );
  });

  it("changes nothing about what a cast gives, in new memory and in used one", () => {
    const memory = new TensorMemory();
    const values = [
      [[1, 2, 3], "int64"],
      [[1.5, Number.NaN, true], "float32"],
      [[2 ** 40, 1], "int64"],
      [Float64Array.of(0.1, 0.2), "float32"],
      [
        [
          [1, 2],
          [3, 4],
        ],
        "float32",
      ],
    ] as const;
    for (let batch = 0; batch < 3; batch++) {
      for (const [value, dtype] of values) {
        expect(TensorData.from(value, { dtype, memory })).toEqual(TensorData.from(value, { dtype }));
      }
      memory.clear();
    }
  });

  it("refuses an option that is misspelt", () => {
    const misspelt = { dtyp: "int64" } as unknown as { readonly dtype: "int64" };
    expect(() => TensorData.from([1], misspelt)).toThrow(
      'options: unknown field "dtyp", did you mean "dtype"?',
    );
  });

  it("names a bad size of a shape as one", () => {
    expect(() => TensorData.from([1, 2], { dtype: "int64", shape: [2, 1.5] })).toThrow("tensor.shape[1]: ");
  });
});
