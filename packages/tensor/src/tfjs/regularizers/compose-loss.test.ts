import { ValidationError } from "@tinkex/types/base";
import { beforeEach, expect, it } from "vitest";
import { customLoss } from "../custom-loss.js";
import type { TfLoss } from "../custom-loss-value.js";
import { describeOnEachBackend } from "../testing/describe-on-each-backend.js";
import { expectNoTensorLeft } from "../testing/expect-no-tensor-left.js";
import { lossDatum } from "../testing/loss-data.js";
import { tf } from "../tf.js";
import { composeLoss } from "./compose-loss.js";
import { consistency } from "./consistency.js";
import { entropy } from "./entropy.js";
import { gradientPenalty } from "./gradient-penalty.js";
import { klToReference } from "./kl-to-reference.js";
import { l1 } from "./l1.js";
import { l2 } from "./l2.js";
import type { LossTerm } from "./loss-term.js";

beforeEach(() => expectNoTensorLeft());

const data = [lossDatum([2]), lossDatum([1])];
const logprobs = [Float32Array.of(-1, -2), Float32Array.of(-3)];
const base: TfLoss = (_, tensors) => ({
  loss: tf.neg(tf.sum(tf.concat([...tensors]))),
  metrics: { "tokens:sum": 3 },
});

describeOnEachBackend("composeLoss", () => {
  it("adds weighted terms, each with its metrics", async () => {
    const own: LossTerm = {
      name: "own",
      weight: -1,
      loss: ({ logprobs: [first], data: given }) => {
        expect(given).toBe(data);
        return { loss: tf.sum(first ?? []), metrics: { "own/seen:sum": tf.scalar(7) } };
      },
    };
    const loss = composeLoss(base, [l1({ weight: 2 }), l2({ weight: 0.5 }), own]);
    const { loss: value, gradients, metrics } = await loss(data, logprobs);
    expect(value).toBeCloseTo(6 + 2 * 6 + 0.5 * 14 + 3, 5);
    // −1 of the base, −2 of l1, p of l2, −1 of the own term in the first datum.
    expect(gradients).toEqual([Float32Array.of(-5, -6), Float32Array.of(-6)]);
    expect(metrics).toEqual({
      "base_loss:sum": 6,
      "base_grad_norm:mean": expect.closeTo(Math.sqrt(3), 6),
      "tokens:sum": 3,
      "l1_loss:sum": 6,
      "l1_grad_norm:mean": expect.closeTo(2 * Math.sqrt(3), 6),
      "l2_loss:sum": 14,
      "l2_grad_norm:mean": expect.closeTo(Math.sqrt(14), 6),
      "own_loss:sum": -3,
      "own_grad_norm:mean": expect.closeTo(Math.sqrt(2), 6),
      "own/seen:sum": 7,
      "total_grad_norm:mean": expect.closeTo(Math.sqrt(25 + 36 + 36), 6),
    });
  });

  it("without terms is the custom loss", async () => {
    const composed = await composeLoss(base, [])(data, logprobs);
    const plain = await customLoss(base)(data, logprobs);
    expect({ ...composed, metrics: undefined }).toEqual({ ...plain, metrics: undefined });
  });

  it("names the term at fault, and lets a term be what uses a datum", async () => {
    const half: TfLoss = (_, [first]) => ({ loss: tf.sum(first ?? []) });
    await expect(composeLoss(half, [l1({ weight: 1 })])(data, logprobs)).resolves.toBeDefined();
    const bad: LossTerm = { name: "bad", weight: 1, loss: () => ({ loss: tf.scalar(Number.NaN) }) };
    await expect(composeLoss(base, [l1({ weight: 1 }), bad])(data, logprobs)).rejects.toThrow(
      'the term "bad" is NaN for this batch',
    );
  });
});

it.each<[name: string, terms: LossTerm[], message: string]>([
  ["two terms of a name", [l1({ weight: 1 }), l1({ weight: 2 })], 'two terms are named "l1"'],
  [
    "a weight that is no number",
    [l1({ weight: Number.NaN })],
    "terms[0].weight must be a finite number, got NaN",
  ],
  ["a name with a colon", [l2({ weight: 1, name: "a:b" })], "terms[0].name must consist of letters"],
])("composeLoss refuses %s", (_name, terms, message) => {
  expect(() => composeLoss(base, terms)).toThrow(message);
});

it.each<[name: string, make: () => unknown, message: string]>([
  ["l1", () => l1({ weight: 1, refrence: "x" } as object as Parameters<typeof l1>[0]), "refrence"],
  ["l2", () => l2({ wieght: 1 } as object as Parameters<typeof l2>[0]), "wieght"],
  [
    "entropy",
    () => entropy({ weight: 1, reference: "x" } as object as Parameters<typeof entropy>[0]),
    "reference",
  ],
  [
    "kl",
    () => klToReference({ weight: 1, kind: "k3" } as object as Parameters<typeof klToReference>[0]),
    "kind",
  ],
  [
    "consistency",
    () => consistency({ weight: 1, pair: 1 } as object as Parameters<typeof consistency>[0]),
    "pair",
  ],
  [
    "gradientPenalty",
    () => gradientPenalty({ weight: 1, norm: 1 } as object as Parameters<typeof gradientPenalty>[0]),
    "norm",
  ],
  ["composeLoss", () => composeLoss(base, [], { unused: "zero" } as object), "unused"],
])("%s refuses an option that there is not", (_name, make, field) => {
  expect(make).toThrow(field);
  expect(make).toThrow(ValidationError);
});
