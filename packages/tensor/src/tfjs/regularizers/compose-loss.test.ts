import { ValidationError } from "@tinkex/base";
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
import type { LossTerm, TermContext } from "./loss-term.js";

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

const zero = () => ({ loss: tf.scalar(0) });

it.each<[name: string, terms: unknown, message: string]>([
  ["two terms of a name", [l1({ weight: 1 }), l1({ weight: 2 })], 'two terms are named "l1"'],
  [
    "a weight that is no number",
    [l1({ weight: Number.NaN })],
    "terms[0].weight must be a finite number, got NaN",
  ],
  [
    "a weight that is text",
    [{ name: "a", weight: "1", loss: zero }],
    "terms[0].weight must be a finite number",
  ],
  ["a name with a colon", [l2({ weight: 1, name: "a:b" })], "terms[0].name must consist of letters"],
  ["no name", [{ weight: 1, loss: zero }], "terms[0].name must consist of letters"],
  [
    "a name whose metrics are the base's",
    [l1({ weight: 1, name: "base" })],
    'terms[0].name "base" is that of other metrics: give it another `name`',
  ],
  [
    "a name whose metrics are the sum's",
    [l1({ weight: 1, name: "total" })],
    'terms[0].name "total" is that of',
  ],
  ["a term without a loss", [{ name: "a", weight: 1 }], "terms[0].loss must be a function, got undefined"],
  [
    "a function for a term",
    [l1],
    "terms[0] must be a term, { name, weight, loss }, as l1({ weight: 1 }) makes one, got ",
  ],
  ["nothing for a term", [undefined], "terms[0] must be a term"],
  ["one term that is in no list", l1({ weight: 1 }), "terms must be a list, got an object"],
  ["no terms", undefined, "terms must be a list, got undefined"],
])("composeLoss refuses %s", (_name, terms, message) => {
  const make = () => composeLoss(base, terms as LossTerm[]);
  expect(make).toThrow(message);
  expect(make).toThrow(ValidationError);
});

it("composeLoss calls a term's loss as the term's", async () => {
  class Scaled implements LossTerm {
    readonly name = "scaled";
    readonly weight = 1;
    readonly #factor = 3;
    loss({ joined }: TermContext) {
      return { loss: tf.mul(tf.sum(joined), this.#factor) };
    }
  }
  const { metrics } = await composeLoss(base, [new Scaled()])(data, logprobs);
  expect(metrics?.["scaled_loss:sum"]).toBe(-18);
});

it.each<[name: string, metric: string, message: string]>([
  [
    "of the base",
    "tokens:sum",
    'two metrics are named "tokens:sum", one of the custom loss and one of the term "own": give one another name',
  ],
  [
    "of a term's value",
    "own_loss:sum",
    '"own_loss:sum", one of the value of the term "own" and one of the term "own"',
  ],
  [
    "of another term",
    "l2_loss:sum",
    '"l2_loss:sum", one of the term "own" and one of the value of the term "l2"',
  ],
  ["of the sum", "total_grad_norm:mean", '"total_grad_norm:mean", one of the term "own" and one of the sum'],
])("composeLoss refuses a metric that would take the place of one %s", async (_name, metric, message) => {
  const own: LossTerm = {
    name: "own",
    weight: 1,
    loss: ({ joined }) => ({ loss: tf.sum(joined), metrics: { [metric]: 1 } }),
  };
  const loss = composeLoss(base, [own, l2({ weight: 1 })]);
  await expect(loss(data, logprobs)).rejects.toThrow(message);
  await expect(loss(data, logprobs)).rejects.toBeInstanceOf(ValidationError);
});

it.each<[name: string, make: () => unknown, message: string]>([
  ["reference of l1", () => l1({ weight: 1, reference: 3 as never }), "l1: reference must be a key of "],
  ["reference of l2", () => l2({ weight: 1, reference: [1] as never }), "l2: reference must be a key of "],
  [
    "reference of klToReference",
    () => klToReference({ weight: 1, reference: Float32Array.of(1) as never }),
    "klToReference: reference must be a key of loss_fn_inputs or a function of the datum, got an object (Float32Array)",
  ],
  [
    "pairs",
    () => consistency({ weight: 1, pairs: [[0, 1]] as never }),
    "consistency: pairs must be a function of the datums, e.g. () => [[0, 1]], got an array",
  ],
  [
    "target",
    () => gradientPenalty({ weight: 1, target: Number.NaN }),
    "gradientPenalty: target must be a norm, a finite number of 0 or more, got NaN",
  ],
  [
    "negative target",
    () => gradientPenalty({ weight: 1, target: -1 }),
    "gradientPenalty: target must be a norm",
  ],
  ...[l1, l2, entropy, klToReference, consistency, gradientPenalty].map(
    (make): [string, () => unknown, string] => [
      `absence of options of ${make.name}`,
      () => make(undefined as never),
      `${make.name} takes { weight, … }, got undefined`,
    ],
  ),
])("refuses at once a %s that is none", (_name, make, message) => {
  expect(make).toThrow(message);
  expect(make).toThrow(ValidationError);
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
