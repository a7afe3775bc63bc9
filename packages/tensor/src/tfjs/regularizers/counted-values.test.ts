import { beforeEach, describe, expect, it } from "vitest";
import { expectNoTensorLeft } from "../testing/expect-no-tensor-left.js";
import { lossDatum } from "../testing/loss-data.js";
import { tf } from "../tf.js";
import { countedValues } from "./counted-values.js";

beforeEach(() => expectNoTensorLeft());

function counted(data: Parameters<typeof countedValues>[0], lists: readonly number[][]): number[] {
  return tf.tidy(() =>
    Array.from(
      countedValues(
        data,
        lists.map((list) => tf.tensor1d(list)),
      ).dataSync(),
    ),
  );
}

describe("countedValues", () => {
  it("keeps every run of positions with a weight, in order", () => {
    const weights = Float32Array.of(1, 0, -1, 2, 0, 0, 0.5);
    const data = [
      lossDatum([7], { weights }),
      lossDatum([2]),
      lossDatum([2], { weights: Float32Array.of(0, 0) }),
    ];
    expect(
      counted(data, [
        [1, 2, 3, 4, 5, 6, 7],
        [8, 9],
        [10, 11],
      ]),
    ).toEqual([1, 3, 4, 7, 8, 9]);
  });

  it("reads sparse weights", () => {
    const sparse = {
      data: Float32Array.of(1, 1),
      dtype: "float32",
      shape: [2, 3],
      sparse_crow_indices: [0, 1, 2],
      sparse_col_indices: [2, 0],
    } as const;
    const { model_input } = lossDatum([1]);
    expect(counted([{ model_input, loss_fn_inputs: { weights: sparse } }], [[1, 2, 3, 4, 5, 6]])).toEqual([
      3, 4,
    ]);
  });

  it("is empty where nothing counts", () => {
    expect(counted([], [])).toEqual([]);
  });

  it("refuses weights of another length", () => {
    expect(() => counted([lossDatum([2], { weights: Float32Array.of(1, 1) })], [[1, 2, 3]])).toThrow(
      "data[0].loss_fn_inputs.weights has 2 elements, its logprobs 3",
    );
  });
});
