import { expect, it } from "vitest";
import { topKDatum } from "../datum/top-k-datum.js";
import { topKReverseKl } from "./top-k-reverse-kl.js";

it("tokens that the student finds all but impossible count by what they are among each other", () => {
  const near = topKReverseKl([[-1, -2]], [[0.7, 0.3]]);
  // Their exponentials are 0 in 64 bits.
  const far = topKReverseKl([[-2001, -2002]], [[0.7, 0.3]]);
  expect(far.loss).toBeCloseTo(near.loss, 10);
  expect(far.gradients[0]?.[0]).toBeCloseTo(near.gradients[0]?.[0] ?? Number.NaN, 10);
});

it("there is no mean where the teacher gives no position a weight", () => {
  expect(topKReverseKl([[-1, -2]], [[0, 0]])).toEqual({
    loss: 0,
    gradients: [[0, 0]],
    metrics: { "sdft/reverse_kl_loss": 0, "sdft/reverse_kl_positions": 0 },
  });
});

it("tokens that the teacher finds all but impossible share the weight of their position", () => {
  const sharesOf = (least: number) => {
    const pairs = [
      [5, least],
      [6, least - 1],
    ] as const;
    const { weights } = topKDatum([1], [pairs], [1]).loss_fn_inputs;
    return Array.from(weights?.data ?? [], Number);
  };
  expect(sharesOf(-2000)).toEqual(sharesOf(-1));
});
