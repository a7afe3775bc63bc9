import { describe, expect, it } from "vitest";
import { TokenBucket } from "./token-bucket.js";

describe("TokenBucket", () => {
  it("lets fifty repeats start in one moment and spaces out the rest at twenty a second", () => {
    const bucket = new TokenBucket();
    const waits = Array.from({ length: 70 }, () => bucket.reserve(1_000));
    expect(waits.slice(0, 50)).toEqual(Array.from({ length: 50 }, () => 0));
    expect(waits[50]).toBe(50);
    expect(waits[69]).toBe(1_000);
    expect(bucket.reserve(60_000)).toBe(0);
  });

  it("never holds up repeats of twenty a second, however long the pauses of others are", () => {
    const bucket = new TokenBucket();
    const waits = Array.from({ length: 1_200 }, (_, n) => bucket.reserve(n * 50));
    expect(new Set(waits)).toEqual(new Set([0]));
  });
});
