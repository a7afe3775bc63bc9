import { beforeEach, expect, it } from "vitest";
import { describeOnEachBackend } from "../testing/describe-on-each-backend.js";
import { expectNoTensorLeft } from "../testing/expect-no-tensor-left.js";
import { lossDatum } from "../testing/loss-data.js";
import { tf } from "../tf.js";
import { countedValues } from "./counted-values.js";

beforeEach(() => expectNoTensorLeft());

describeOnEachBackend("countedValues", () => {
  it.each([
    [
      [1, 0, -1, 2, 0, 0, 0.5],
      [1, 3, 4, 7],
    ],
    [[0, 0, 0, 0, 0, 0, 0], []],
    [undefined, [1, 2, 3, 4, 5, 6, 7]],
  ])("of weights %j", (weights, expected) => {
    const datum = lossDatum([7], weights === undefined ? {} : { weights: Float32Array.from(weights) });
    const values = tf.tidy(() => countedValues(datum, 0, tf.tensor1d([1, 2, 3, 4, 5, 6, 7])).dataSync());
    expect([...values]).toEqual(expected);
  });
});
