import { describe, expect, it } from "vitest";
import { argmax, sortBestFirst, topIds } from "./ranking.js";

describe("argmax", () => {
  it("is the lowest id among equals", () => {
    expect(argmax(new Float32Array([-3, 5, 1, 5]))).toBe(1);
    expect(argmax(new Float32Array([-Infinity, -2]))).toBe(1);
  });
});

describe("topIds", () => {
  it("gives the same ids by the short list as by sorting everything", () => {
    // Many ties: 1,000 values of 50 kinds.
    const values = Float32Array.from({ length: 1000 }, (_, i) => (i * 7919) % 50);
    const sorted = sortBestFirst(
      Array.from(values, (_, id) => id),
      values,
    );
    for (const count of [1, 2, 20, 21, 256, 257, 260, 261, 999, 1000, 2000]) {
      expect(topIds(values, count)).toEqual(sorted.slice(0, count));
    }
    expect(sorted.slice(0, 3).map((id) => values[id])).toEqual([49, 49, 49]);
    expect(sorted[0]).toBeLessThan(sorted[1] ?? 0);
  });

  it("gives as many ids as are asked for, though values be no numbers", () => {
    const values = Float32Array.from({ length: 1000 }, (_, id) => (id % 2 === 0 ? Number.NaN : id));
    for (const count of [20, 300, 700]) expect(new Set(topIds(values, count)).size).toBe(count);
  });

  it("sorts no more ids than it gives, of a vocabulary however large", () => {
    const values = Float32Array.from({ length: 5000 }, (_, i) => Math.sin(i) * 20);
    let reads = 0;
    const counted = new Proxy(Array.from(values), {
      get(target, key) {
        reads += 1;
        return Reflect.get(target, key, target);
      },
    });
    const sorted = sortBestFirst(Array.from(values.keys()), values);
    expect(topIds(counted, 300)).toEqual(sorted.slice(0, 300));
    // Two walks over the values, with their length, and the sort of three hundred; the sort of all reads 100,000 times.
    expect(reads).toBeLessThan(25_000);
  });
});
