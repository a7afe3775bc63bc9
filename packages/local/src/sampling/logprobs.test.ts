import { describe, expect, it } from "vitest";
import { logSumExp } from "./logprobs.js";

describe("logSumExp", () => {
  it("neither overflows nor underflows", () => {
    expect(logSumExp(new Float32Array([1000, 1000]))).toBeCloseTo(1000 + Math.log(2), 10);
    expect(logSumExp(new Float32Array([-1000, -Infinity]))).toBe(-1000);
  });

  it("loss-functions 13: makes the log-probability of the best of 2, 1, 0, -1 -0.440189699", () => {
    const logits = new Float32Array([2, 1, 0, -1]);
    expect(2 - logSumExp(logits)).toBeCloseTo(-0.440189699, 9);
  });
});
