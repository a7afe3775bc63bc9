import { beforeEach, expect, it } from "vitest";
import { describeOnEachBackend } from "../testing/describe-on-each-backend.js";
import { expectNoTensorLeft } from "../testing/expect-no-tensor-left.js";
import { expectTerm } from "../testing/expect-term.js";
import { lossDatum } from "../testing/loss-data.js";
import { tf } from "../tf.js";
import { composeLoss } from "./compose-loss.js";
import { l1 } from "./l1.js";

beforeEach(() => expectNoTensorLeft());

describeOnEachBackend("l1", () => {
  it("is the sum of distances, of positions that count", async () => {
    const data = [lossDatum([3], { weights: Float32Array.of(0, 1, -2) }), lossDatum([2])];
    const logprobs = [Float32Array.of(-9, -1, -2), Float32Array.of(-0.25, -3)];
    await expectTerm(l1({ weight: 0.5 }), { data, logprobs }, ([first, second]) =>
      [...(first ?? []).slice(1), ...(second ?? [])].reduce((sum, p) => sum + Math.abs(p), 0),
    );
  });

  it("measures from a reference", async () => {
    const reference = Float32Array.of(-1, -1, -1);
    const data = [lossDatum([3], { before: reference })];
    const logprobs = [Float32Array.of(-0.5, -1.5, -4)];
    await expectTerm(l1({ weight: 2, reference: "before" }), { data, logprobs }, ([p]) =>
      (p ?? []).reduce((sum, value) => sum + Math.abs(value + 1), 0),
    );
  });

  it("does not pull at what is at its reference, as everything is before the first step", async () => {
    const logprobs = [Float32Array.of(-0.5, -1.5, -4)];
    const data = [lossDatum([3], { before: Float32Array.of(-0.5, -1.5, -3) })];
    const nothing = () => ({ loss: tf.scalar(0) });
    const { loss, gradients, metrics } = await composeLoss(nothing, [l1({ weight: 2, reference: "before" })])(
      data,
      logprobs,
    );
    expect(loss).toBe(2);
    expect(gradients.map((row) => Array.from(row))).toEqual([[0, 0, -2]]);
    expect(metrics?.["l1_grad_norm:mean"]).toBe(2);
  });
});
