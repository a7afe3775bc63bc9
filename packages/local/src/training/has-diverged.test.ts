import { describe, expect, it } from "vitest";
import { hasDiverged } from "./has-diverged.js";

const shape = { rank: 1, trainAttention: true, trainMlp: true, trainUnembedding: true };
const good = { module: "good", a: Float32Array.of(0.1, -0.2), b: Float32Array.of(1, -2), dIn: 2, dOut: 2 };
const judge = (a: number[], b: number[]) =>
  hasDiverged({ shape, pairs: [good, { ...good, a: Float32Array.from(a), b: Float32Array.from(b) }] });

describe("hasDiverged", () => {
  it.each([
    ["NaN in A", [0, Number.NaN, 1], [0]],
    ["NaN in B", [1], [Number.NaN, 2]],
    ["infinity times the zeros of a new B", [Number.NEGATIVE_INFINITY], [0]],
    ["infinity in B", [1], [Number.POSITIVE_INFINITY]],
    ["a product whose square is beyond float32", [1e-2], [-1e30]],
  ])("finds %s", (_, a, b) => {
    expect(judge(a, b)).toBe(true);
  });

  it.each([
    ["a new adapter", [0.1, -0.1], [0, 0]],
    ["large numbers that can be computed with", [100], [-1e6]],
    ["a large A beside the zeros of a new B", [1e20], [0]],
    ["nothing", [], []],
  ])("passes %s", (_, a, b) => {
    expect(judge(a, b)).toBe(false);
  });
});
