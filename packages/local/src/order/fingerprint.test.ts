import { describe, expect, it } from "vitest";
import { fingerprint } from "./fingerprint.js";

describe("fingerprint", () => {
  const body = { a: 1, list: [1, 2, 0.5], text: "x", inner: { p: true, q: 10n ** 18n } };

  it("endpoints 9: is the same for key order, nulls, and lists or typed arrays", () => {
    const same = {
      inner: { q: 10n ** 18n, r: null, p: true },
      text: "x",
      list: Float32Array.of(1, 2, 0.5),
      a: 1,
      b: undefined,
    };
    expect(fingerprint(same)).toBe(fingerprint(body));
    expect(fingerprint({ ids: Int32Array.of(1, 2) })).toBe(fingerprint({ ids: BigInt64Array.of(1n, 2n) }));
    expect(fingerprint({ ids: [1, 2] })).toBe(fingerprint({ ids: BigInt64Array.of(1n, 2n) }));
  });

  it("differs for what differs", () => {
    const others: unknown[] = [
      { ...body, a: 2 },
      { ...body, a: "1" },
      { ...body, a: -1 },
      { ...body, list: [1, 2] },
      { ...body, list: [1, 2, 0.5, 0] },
      { ...body, text: "xa" },
      { ...body, inner: { p: true, q: 10n ** 18n + 1n } },
      { ...body, inner: [] },
      { ...body, extra: 0 },
      [body],
    ];
    const prints = [body, ...others].map(fingerprint);
    expect(new Set(prints).size).toBe(prints.length);
  });

  it("tells a text from its neighbour's beginning", () => {
    expect(fingerprint({ a: "xs1:y" })).not.toBe(fingerprint({ a: "x", b: "y" }));
    expect(fingerprint(["ab", "c"])).not.toBe(fingerprint(["a", "bc"]));
    expect(fingerprint([[1], [2]])).not.toBe(fingerprint([[1, 2], []]));
  });
});
