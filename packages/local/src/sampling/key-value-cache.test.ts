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

/** Bytes of everything the cache has allocated, used or not. */
const storedBytes = (cache: KeyValueCache): number => {
  const { keys, values } = cache.view();
  return [...keys, ...values].reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
};

/** What `count` rows of `longest` tokens take. */
const bytesOf = (count: number, longest: number) => count * longest * bytesPerToken(layout);

const addRow = (cache: KeyValueCache, sequence: number, length: number, longest: number) =>
  cache.add({ of: tokensOf(sequence, 0, length), row: 0, length }, longest);

describe("KeyValueCache", () => {
  it("holds every sequence whole while others come, grow and leave, within its bytes", () => {
    const step = fc.record({
      kind: fc.constantFrom("add", "append", "remove"),
      pick: fc.nat(),
      count: fc.nat(40),
      room: fc.nat(160),
    });
    const maxBytes = bytesOf(7, 150);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const cache = new KeyValueCache(layout, maxBytes);
        const sequences = new Map<CacheRow, { sequence: number; longest: number }>();
        const longestOf = (more = 0) =>
          Math.max(more, ...[...sequences.values()].map(({ longest }) => longest));
        let next = 1;
        for (const { kind, pick, count, room } of steps) {
          const rows = [...sequences.keys()];
          const row = rows[pick % Math.max(1, rows.length)];
          const known = row && sequences.get(row);
          if (kind === "add" || row === undefined || known === undefined) {
            const longest = count + 1 + room;
            const fits = bytesOf(rows.length + 1, longestOf(longest)) <= maxBytes;
            if (rows.length > 0 && !fits) continue;
            sequences.set(addRow(cache, next, count + 1, longest), { sequence: next++, longest });
          } else if (kind === "append" && row.length + count <= known.longest) {
            cache.append(row, { of: tokensOf(known.sequence, row.length, count), row: 0, start: 0 }, count);
          } else if (kind === "remove") {
            cache.remove(row);
            sequences.delete(row);
          }
          expect(storedBytes(cache)).toBeLessThanOrEqual(maxBytes);
          expect(cache.view().time).toBeLessThanOrEqual(longestOf());
          expect(cache.rows.map(({ index }) => index)).toEqual([...cache.rows.keys()]);
          for (const [present, { sequence }] of sequences) {
            expect(read(cache, present)).toEqual(tokensOf(sequence, 0, present.length));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it("has room for half as many tokens more, but for none that no row will have", () => {
    const cache = new KeyValueCache(layout, bytesOf(1, 1000));
    const row = addRow(cache, 1, 1, 50);
    const times = Array.from({ length: 49 }, (_, i) => {
      cache.append(row, { of: tokensOf(1, i + 1, 1), row: 0, start: 0 }, 1);
      return cache.view().time;
    });
    expect([...new Set(times)]).toEqual([32, 48, 50]);
  });

  it("shrinks when the longest row leaves, and lets go of everything with the last", () => {
    const cache = new KeyValueCache(layout, bytesOf(2, 200));
    const long = addRow(cache, 1, 120, 200);
    const short = addRow(cache, 2, 10, 40);
    cache.remove(long);
    expect(cache.view()).toMatchObject({ rows: 1, time: 40 });
    expect(read(cache, short)).toEqual(tokensOf(2, 0, 10));
    cache.remove(short);
    expect(storedBytes(cache)).toBe(0);
  });

  it("refuses a row that has left, and one that is too long", () => {
    const cache = new KeyValueCache(layout, bytesOf(1, 20));
    const row = addRow(cache, 1, 5, 20);
    expect(() => cache.append(row, { of: tokensOf(1, 5, 16), row: 0, start: 0 }, 16)).toThrow(
      "a row must be at most 20 tokens, got 21",
    );
    cache.remove(row);
    expect(() => cache.remove(row)).toThrow("the row has left the cache");
  });
});

describe("bytesPerToken", () => {
  it("counts keys and values of all layers and heads", () => {
    expect(bytesPerToken(layout)).toBe(2 * 2 * 2 * 3 * 4);
  });
});
