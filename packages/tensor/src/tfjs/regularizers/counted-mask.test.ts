import { beforeEach, describe, expect, it } from "vitest";
import { describeOnEachBackend } from "../testing/describe-on-each-backend.js";
import { expectNoTensorLeft } from "../testing/expect-no-tensor-left.js";
import { lossDatum } from "../testing/loss-data.js";
import { tf } from "../tf.js";
import { countedMask, keepCounted } from "./counted-mask.js";

beforeEach(() => expectNoTensorLeft());

const weighted = lossDatum([4], { weights: Float32Array.of(1, 0, -1, 0.5) });

describe("countedMask", () => {
  it("counts positions with a weight, and all of a datum without weights", () => {
    const mask = countedMask({ data: [weighted, lossDatum([2])], shapes: [[4], [2]] });
    expect([...mask]).toEqual([1, 0, 1, 1, 1, 1]);
  });

  it("leaves out datums of shapes that are not included", () => {
    const shapes = [[4], [2, 1]];
    const mask = countedMask({ data: [weighted, lossDatum([2, 1])], shapes }, (shape) => shape.length === 2);
    expect([...mask]).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it("reads sparse weights", () => {
    const weights = {
      data: Float32Array.of(1, 1),
      dtype: "float32",
      shape: [2, 3],
      sparse_crow_indices: [0, 1, 2],
      sparse_col_indices: [2, 0],
    } as const;
    const datum = { ...weighted, loss_fn_inputs: { weights } };
    expect([...countedMask({ data: [datum], shapes: [[2, 3]] })]).toEqual([0, 0, 1, 1, 0, 0]);
  });

  it("names the weights that cannot be read", () => {
    const weights = { data: [1], dtype: "float32", shape: [1, 2], sparse_crow_indices: [0, 1] } as const;
    const datum = { ...weighted, loss_fn_inputs: { weights } };
    expect(() => countedMask({ data: [weighted, datum], shapes: [[4], [1, 2]] })).toThrow(
      "data[1].loss_fn_inputs.weights: sparse_col_indices is missing",
    );
  });

  it("refuses weights that are laid out otherwise", () => {
    const datum = lossDatum([3, 2], { weights: new Float32Array(6) });
    expect(() => countedMask({ data: [datum], shapes: [[2, 3]] })).toThrow(
      "data[0].loss_fn_inputs.weights has the shape [3, 2], the datum's logprobs [2, 3]",
    );
  });

  it("refuses weights of another length", () => {
    expect(() => countedMask({ data: [weighted], shapes: [[3]] })).toThrow(
      "data[0].loss_fn_inputs.weights has 4 elements, its logprobs 3",
    );
  });
});

describeOnEachBackend("keepCounted", () => {
  it("puts zeros where a row does not count, whatever stands there", () => {
    const kept = tf.tidy(() =>
      keepCounted(tf.tensor1d([1, Number.NaN, Number.NEGATIVE_INFINITY]), Uint8Array.of(1, 0, 0)).dataSync(),
    );
    expect([...kept]).toEqual([1, 0, 0]);
  });
});
