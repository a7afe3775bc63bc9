import { describe, expect, it } from "vitest";
import { addTensors, fillWithZeros, globalNorm } from "./tensor-arithmetic.js";

const tensors = (a: number[], b: number[]) => [{ a: Float32Array.from(a), b: Float32Array.from(b) }];

describe("addTensors", () => {
  it("adds in place", () => {
    const target = tensors([1, 2], [3]);
    addTensors(target, tensors([10, 20], [30]));
    expect(target).toEqual(tensors([11, 22], [33]));
  });

  it("refuses tensors of another adapter", () => {
    expect(() => addTensors(tensors([1, 2], [3]), tensors([1], [3]))).toThrow("cannot add 1 numbers to 2");
    expect(() => addTensors(tensors([1], [3]), [])).toThrow("0 modules");
  });
});

describe("fillWithZeros", () => {
  it("zeroes every number", () => {
    const target = tensors([1, 2], [3]);
    fillWithZeros(target);
    expect(target).toEqual(tensors([0, 0], [0]));
  });
});

describe("globalNorm", () => {
  it("loss-functions 7: is over all factors at once", () => {
    expect(globalNorm(tensors([1, 2], [2]))).toBe(3);
  });
});
