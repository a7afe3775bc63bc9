import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { putFloat32, putInt32, putInt64, putWidened } from "./put-elements.js";

/** Around four at a time, and around the block of 1024. */
const length = fc.oneof(fc.nat(9), fc.integer({ min: 1019, max: 1030 }), fc.constant(2051));
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

const writers = {
  float32: {
    put: putFloat32,
    elementBytes: 4,
    value: fc.oneof(fc.double(), fc.float(), fc.constant(0), int32),
    fits: (value: number) => !Number.isFinite(value) || Number.isFinite(Math.fround(value)),
    set: (view: DataView, at: number, value: number) => view.setFloat32(at, value, true),
    bad: ["1", undefined, null, true, 1n, 1e39],
  },
  int32: {
    put: putInt32,
    elementBytes: 4,
    value: int32,
    fits: () => true,
    set: (view: DataView, at: number, value: number) => view.setInt32(at, value, true),
    bad: ["1", undefined, null, true, 1n, 1.5, Number.NaN, 2 ** 31, -(2 ** 31) - 1],
  },
  int64: {
    put: putInt64,
    elementBytes: 8,
    value: fc.oneof(fc.maxSafeInteger(), int32, fc.constant(-0)),
    fits: () => true,
    set: (view: DataView, at: number, value: number) => view.setBigInt64(at, BigInt(value), true),
    bad: ["1", undefined, null, true, 1n, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53],
  },
} as const;

describe.each(Object.entries(writers))("a list as %s", (_, { put, elementBytes, value, fits, set, bad }) => {
  const lists = length.chain((count) =>
    fc.array(value.filter(fits), { minLength: count, maxLength: count, size: "max" }),
  );

  it("has the bytes that a DataView writes, at an offset that is not aligned", () => {
    fc.assert(
      fc.property(lists, (values) => {
        const expected = new Uint8Array(values.length * elementBytes + 6);
        const view = new DataView(expected.buffer);
        for (const [index, element] of values.entries()) set(view, 3 + index * elementBytes, element);
        const found = new Uint8Array(expected.length);
        expect(put(found, 3, values)).toBe(-1);
        expect(Buffer.compare(found, expected)).toBe(0);
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it.each(bad.map((element) => [element]))("is refused at the first %o, wherever it stands", (element) => {
    for (const index of [0, 1, 2, 3, 4, 7, 1023, 1024, 1029, 1030]) {
      const values = Array.from({ length: 1031 }, (_, at): unknown => (at < index ? 1 : element));
      expect(put(new Uint8Array(1031 * elementBytes), 0, values as number[])).toBe(index);
    }
  });
});

it("widens an Int32Array to the bytes that a list of the same integers has", () => {
  const lists = length.chain((count) => fc.array(int32, { minLength: count, maxLength: count, size: "max" }));
  fc.assert(
    fc.property(lists, (list) => {
      const [written, wanted] = [new Uint8Array(8 * list.length + 3), new Uint8Array(8 * list.length + 3)];
      putWidened(written, 3, Int32Array.from(list));
      expect(putInt64(wanted, 3, list)).toBe(-1);
      expect(written).toEqual(wanted);
    }),
    { numRuns: 50, seed: 1 },
  );
});
