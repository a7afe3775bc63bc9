import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CacheRow, KeyValueCache } from "./key-value-cache.js";
import { bytesPerToken, emptyKeyValues, type KeyValues } from "./key-values.js";

const layout = { layerCount: 2, keyValueHeadCount: 2, headSize: 3 };

/** One row whose numbers tell which sequence, place, layer, head and element they belong to. */
function tokensOf(sequence: number, start: number, count: number): KeyValues {
  const row = emptyKeyValues(layout, 1, count);
  const fill = (arrays: readonly Float32Array[], sign: number) =>
    arrays.forEach((array, layer) => {
      array.set(array.map((_, i) => sign * number(sequence, start, count, layer, i)));
    });
  fill(row.keys, 1);
  fill(row.values, -1);
  return row;
}

function number(sequence: number, start: number, count: number, layer: number, i: number): number {
  const head = Math.floor(i / (count * layout.headSize));
  const place = start + (Math.floor(i / layout.headSize) % count);
  return sequence * 10_000 + place * 20 + layer * 10 + head * 3 + (i % layout.headSize);
}

/** What the cache holds of a row, in the form of {@link tokensOf}. */
function read(cache: KeyValueCache, row: CacheRow): KeyValues {
  const view = cache.view();
  const out = emptyKeyValues(layout, 1, row.length);
  const copy = (from: readonly Float32Array[], to: readonly Float32Array[]) =>
    from.forEach((array, layer) => {
      for (let head = 0; head < layout.keyValueHeadCount; head++) {
        const start = (row.index * layout.keyValueHeadCount + head) * view.time * layout.headSize;
        const tokens = array.subarray(start, start + row.length * layout.headSize);
        to[layer]?.set(tokens, head * row.length * layout.headSize);
      }
    });
  copy(view.keys, out.keys);
  copy(view.values, out.values);
  return out;
}

describe("KeyValueCache", () => {
  it("holds every sequence whole while others come, grow and leave", () => {
    const step = fc.record({
      kind: fc.constantFrom("add", "append", "remove"),
      pick: fc.nat(),
      count: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const cache = new KeyValueCache(layout, 200);
        const sequences = new Map<CacheRow, number>();
        let next = 1;
        for (const { kind, pick, count } of steps) {
          const rows = [...sequences.keys()];
          const row = rows[pick % Math.max(1, rows.length)];
          if (kind === "add" || row === undefined) {
            const length = count + 1;
            const added = cache.add(tokensOf(next, 0, length), 0, length);
            sequences.set(added, next++);
          } else if (kind === "append" && row.length + count <= 200) {
            const sequence = sequences.get(row) ?? 0;
            cache.append(row, { of: tokensOf(sequence, row.length, count), row: 0, start: 0 }, count);
          } else if (kind === "remove") {
            cache.remove(row);
            sequences.delete(row);
          }
          expect(cache.rows.map(({ index }) => index)).toEqual([...cache.rows.keys()]);
          for (const [known, sequence] of sequences) {
            expect(read(cache, known)).toEqual(tokensOf(sequence, 0, known.length));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it("lets its memory go when the last row leaves", () => {
    const cache = new KeyValueCache(layout, 200);
    const row = cache.add(tokensOf(1, 0, 33), 0, 33);
    expect(cache.view()).toMatchObject({ rows: 1, time: 64 });
    cache.remove(row);
    expect(cache.view()).toMatchObject({ rows: 0, time: 0 });
  });

  it("refuses a row that has left, and one that is too long", () => {
    const cache = new KeyValueCache(layout, 20);
    const row = cache.add(tokensOf(1, 0, 5), 0, 5);
    expect(() => cache.append(row, { of: tokensOf(1, 5, 16), row: 0, start: 0 }, 16)).toThrow(
      "A row of 21 tokens is longer than 20.",
    );
    cache.remove(row);
    expect(() => cache.remove(row)).toThrow("The row has left the cache.");
  });
});

describe("bytesPerToken", () => {
  it("counts keys and values of all layers and heads", () => {
    expect(bytesPerToken(layout)).toBe(2 * 2 * 2 * 3 * 4);
  });
});
