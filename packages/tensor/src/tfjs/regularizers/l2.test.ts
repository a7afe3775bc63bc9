import { beforeEach, it } from "vitest";
import { describeOnEachBackend } from "../testing/describe-on-each-backend.js";
import { expectNoTensorLeft } from "../testing/expect-no-tensor-left.js";
import { expectTerm } from "../testing/expect-term.js";
import { lossDatum } from "../testing/loss-data.js";
import { l2 } from "./l2.js";

beforeEach(() => expectNoTensorLeft());

describeOnEachBackend("l2", () => {
  it("is the sum of squares, of positions that count", async () => {
    const data = [lossDatum([2, 2], { weights: Float32Array.of(1, 0, 0, 1) }), lossDatum([2])];
    const logprobs = [Float32Array.of(-0.5, Number.NEGATIVE_INFINITY, -9, -2), Float32Array.of(-0.25, -3)];
    await expectTerm(l2({ weight: 0.5 }), { data, logprobs }, ([first, second]) =>
      [first?.[0], first?.[3], ...(second ?? [])].reduce<number>((sum, p = 0) => sum + p ** 2, 0),
    );
  });

  it("measures from a reference that is computed", async () => {
    const data = [lossDatum([2]), lossDatum([1])];
    const logprobs = [Float32Array.of(-0.5, -1.5), Float32Array.of(-4)];
    const term = l2({
      weight: 1,
      reference: (datum, index) =>
        datum.loss_fn_inputs.target_tokens?.data.length === 2 ? [-1, -1] : [-index],
    });
    await expectTerm(term, { data, logprobs }, (lists) =>
      lists.flat().reduce((sum, p) => sum + (p + 1) ** 2, 0),
    );
  });
});
