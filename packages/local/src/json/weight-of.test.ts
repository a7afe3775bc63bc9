import { describe, expect, it } from "vitest";
import { weightOf } from "./weight-of.js";

describe("weightOf", () => {
  it("counts texts, names, elements and the bytes of arrays", () => {
    expect(weightOf("ab")).toBe(4);
    expect(weightOf([1, 2, 3])).toBe(32 + 3 * 16);
    expect(weightOf({ ab: "cd" })).toBe(32 + 16 + 4 + 4);
    expect(weightOf(new Float32Array(10))).toBe(32 + 40);
    for (const nothing of [undefined, null, 1, true]) expect(weightOf(nothing)).toBe(0);
  });

  it("follows any depth, and more elements than a call may have arguments", () => {
    let deep: unknown = "x";
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(weightOf(deep)).toBe(100_000 * 48 + 2);
    expect(weightOf(Array.from({ length: 300_000 }, () => "é"))).toBe(32 + 300_000 * 18);
  });
});
