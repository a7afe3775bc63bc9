import { describe, expect, it } from "vitest";
import { largestDifference, worstRelativeDifference } from "./differences.js";

describe("largestDifference", () => {
  it("is the largest of all, whichever is the greater", () => {
    expect(largestDifference([1, 5, 3], [1, 2, 7])).toBe(4);
  });

  it.each([
    ["the first number", [Number.NaN, 1, 2]],
    ["one in the middle", [0, Number.NaN, 2]],
    ["the last", [0, 1, Number.NaN]],
    ["as many numbers, of which one is missing,", [0, 1]],
  ])("is NaN when %s is none", (_, got) => {
    expect(largestDifference(got, [0, 1, 2])).toBeNaN();
    expect(largestDifference([0, 1, 2], got)).toBeNaN();
  });
});

describe("worstRelativeDifference", () => {
  const pair = (...a: number[]) => ({ a: Float32Array.from(a), b: Float32Array.of(1) });

  it("is in units of the largest entry expected", () => {
    expect(worstRelativeDifference([pair(6, 3)], [pair(8, 4)])).toBe(0.25);
  });

  it("is NaN when any number is none", () => {
    expect(worstRelativeDifference([pair(Number.NaN, 4), pair(1)], [pair(8, 4), pair(1)])).toBeNaN();
    expect(worstRelativeDifference([pair(1)], [pair(Number.NaN)])).toBeNaN();
  });
});
