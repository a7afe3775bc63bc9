import { beforeEach, expect, it } from "vitest";
import type { TfLoss } from "../custom-loss-value.js";
import { describeOnEachBackend } from "../testing/describe-on-each-backend.js";
import { expectNoTensorLeft } from "../testing/expect-no-tensor-left.js";
import { finiteDifferences, largestGap, lossDatum } from "../testing/loss-data.js";
import { tf } from "../tf.js";
import { composeLoss } from "./compose-loss.js";
import { gradientPenalty } from "./gradient-penalty.js";

beforeEach(() => expectNoTensorLeft());

const data = [lossDatum([3]), lossDatum([2])];
const logprobs = [Float32Array.of(-0.5, -1, -2), Float32Array.of(-0.25, -3)];

/** −Σ exp(p − q): importance sampling with advantages of 1 and samplers of −1, computed in each of the ways there are. */
const bases: Readonly<Record<string, TfLoss>> = {
  "the row": (_, __, joined) => ({ loss: tf.neg(tf.sum(tf.exp(tf.add(joined, 1)))) }),
  "the datums' tensors": (_, tensors) => ({
    loss: tf.neg(tf.sum(tf.exp(tf.add(tf.concat([...tensors]), 1)))),
  }),
  "half of each": (_, [, second], joined) => ({
    loss: tf.neg(
      tf.add(tf.sum(tf.exp(tf.add(joined.slice(0, 3), 1))), tf.sum(tf.exp(tf.add(second ?? [], 1)))),
    ),
  }),
};
const ratios = bases["the row"] ?? expect.fail();
const norm = (row: readonly number[]) => Math.hypot(...row.map((p) => Math.exp(p + 1)));

describeOnEachBackend("gradientPenalty", () => {
  const targets = [0, 1.5].flatMap((target) =>
    Object.entries(bases).map(([way, base]) => ({ target, way, base })),
  );

  it.each(targets)("draws the gradient norm of each datum to $target, by $way", async ({ target, base }) => {
    const formula = (lists: readonly number[][]) =>
      lists.reduce((sum, row) => sum + (norm(row) - target) ** 2, 0);
    const weight = 0.3;
    const penalised = composeLoss(base, [gradientPenalty({ weight, target })]);
    const plain = composeLoss(base, []);
    const [with_, without] = [await penalised(data, logprobs), await plain(data, logprobs)];
    const difference = with_.gradients.map((row, datum) =>
      Array.from(row, (value, index) => value - Number(without.gradients[datum]?.[index])),
    );
    const expected = finiteDifferences((lists) => weight * formula(lists), logprobs);
    expect(largestGap(difference, expected)).toBeLessThan(5e-5);
    expect(with_.metrics?.["gradient_penalty_loss:sum"]).toBeCloseTo(
      formula(logprobs.map((values) => Array.from(values))),
      4,
    );
  });

  it("goes through a clipped loss, whose way back compares", async () => {
    // Clipped at 1.2 the ratio of 2.7 is constant, that of 0.37 is not.
    const clipped: TfLoss = (_, [p]) => {
      const ratio = tf.exp(tf.add(p ?? [], 1));
      return { loss: tf.neg(tf.sum(tf.minimum(ratio, tf.clipByValue(ratio, 0.8, 1.2)))) };
    };
    const batch = [[lossDatum([2])], [Float32Array.of(0, -2)]] as const;
    const plain = await composeLoss(clipped, [])(...batch);
    const penalised = await composeLoss(clipped, [gradientPenalty({ weight: 1 })])(...batch);
    const square = Math.exp(-1) ** 2;
    expect(penalised.metrics?.["gradient_penalty_loss:sum"]).toBeCloseTo(square, 6);
    const added = Array.from(
      penalised.gradients[0] ?? [],
      (value, index) => value - Number(plain.gradients[0]?.[index]),
    );
    expect(added[0]).toBeCloseTo(0, 6);
    expect(added[1]).toBeCloseTo(2 * square, 5);
  });

  it("finds nothing to change in a base loss that is linear, and frees a base loss that throws", async () => {
    const linear: TfLoss = (_, tensors) => ({ loss: tf.sum(tf.concat([...tensors])) });
    const { metrics } = await composeLoss(linear, [gradientPenalty({ weight: 1 })])(data, logprobs);
    expect(metrics).toMatchObject({ "gradient_penalty_loss:sum": 5, "gradient_penalty_grad_norm:mean": 0 });
    let calls = 0;
    const failsSecond: TfLoss = (...args) => {
      const value = ratios(...args);
      calls += 1;
      if (calls === 2) throw new Error("second time");
      return value;
    };
    await expect(composeLoss(failsSecond, [gradientPenalty({ weight: 1 })])(data, logprobs)).rejects.toThrow(
      "second time",
    );
  });
});
