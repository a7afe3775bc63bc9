import { describe, expect, it } from "vitest";
import { randomStream, xoshiro128StarStar } from "./random-stream.js";

const take = (count: number, next: () => number) => Array.from({ length: count }, next);

describe("xoshiro128StarStar", () => {
  it("gives the numbers of the authors' C program from the state 1, 2, 3, 4", () => {
    expect(take(6, xoshiro128StarStar([1, 2, 3, 4]))).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492,
    ]);
  });
});

describe("randomStream", () => {
  it("repeats for an equal seed and name", () => {
    expect(take(50, randomStream(7, "a"))).toEqual(take(50, randomStream(7, "a")));
  });

  it("differs by name, by seed, and by the upper half of the seed", () => {
    const streams = [
      randomStream(7, "a"),
      randomStream(7, "b"),
      randomStream(7, ""),
      randomStream(8, "a"),
      randomStream(-7, "a"),
      randomStream(7 + 2 ** 32, "a"),
      randomStream(7 - 2 ** 40, "a"),
    ];
    expect(new Set(streams.map((next) => next())).size).toBe(streams.length);
  });

  it("is uniform in [0, 1): mean, variance and the share of each tenth", () => {
    const numbers = Array.from({ length: 200 }, (_, seed) => take(500, randomStream(seed, "x"))).flat();
    expect(Math.min(...numbers.slice(0, 50_000))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers.slice(0, 50_000))).toBeLessThan(1);
    const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
    const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / numbers.length;
    // Five standard errors of 100,000 draws.
    expect(Math.abs(mean - 1 / 2)).toBeLessThan(0.0046);
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(0.0012);
    for (let tenth = 0; tenth < 10; tenth++) {
      const share = numbers.filter((x) => Math.floor(x * 10) === tenth).length / numbers.length;
      expect(Math.abs(share - 0.1)).toBeLessThan(0.005);
    }
  });

  it("gives unrelated first numbers for neighbouring seeds", () => {
    const firsts = Array.from({ length: 10_000 }, (_, seed) => randomStream(seed, "x")());
    const mean = firsts.reduce((sum, x) => sum + x, 0) / firsts.length;
    expect(Math.abs(mean - 1 / 2)).toBeLessThan(0.0145);
    const lagged = firsts.slice(1).reduce((sum, x, i) => sum + (x - 0.5) * ((firsts[i] ?? 0) - 0.5), 0);
    expect(Math.abs(lagged / firsts.length / (1 / 12))).toBeLessThan(0.05);
  });
});
