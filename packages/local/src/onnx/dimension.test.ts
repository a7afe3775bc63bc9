import { describe, expect, it } from "vitest";
import { describeShape, multiplyDimensions, sameShape } from "./dimension.js";

describe("multiplyDimensions", () => {
  it.each([
    [[2, 3], 6],
    [["time"], "time"],
    [["time", 2], "2*time"],
    [["2*time", 3, "rows"], "6*rows*time"],
    [["rows", "time"], "rows*time"],
    [["time", "rows"], "rows*time"],
    [[], 1],
  ])("%j is %s", (dimensions, product) => {
    expect(multiplyDimensions(...dimensions)).toBe(product);
  });
});

describe("sameShape", () => {
  it("compares length by length", () => {
    expect(sameShape(["rows", 2], ["rows", 2])).toBe(true);
    expect(sameShape(["rows", 2], ["rows", 3])).toBe(false);
    expect(sameShape(["rows"], ["rows", 2])).toBe(false);
  });
});

describe("describeShape", () => {
  it("lists the lengths", () => {
    expect(describeShape(["rows", 2])).toBe("[rows, 2]");
  });
});
