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

  it("changes nothing about what a cast gives", () => {
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
    for (const [value, dtype] of values) {
      expect(TensorData.from(value, { dtype, memory })).toEqual(TensorData.from(value, { dtype }));
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
