import type { Datum } from "@tinkex/types";
import { beforeEach, describe, expect, it } from "vitest";
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

const base: TfLoss = (_, __, joined) => ({ loss: tf.sum(tf.square(joined)) });
const KEY = "reference_logprobs";

/** Every term there is; those with a reference have one. */
const terms: readonly LossTerm[] = [
  l1({ weight: 1 }),
  l1({ weight: 1, reference: KEY, name: "l1_reference" }),
  l2({ weight: 1 }),
  l2({ weight: 1, reference: KEY, name: "l2_reference" }),
  entropy({ weight: 1 }),
  klToReference({ weight: 1 }),
  klToReference({ weight: 1, estimator: "k3", name: "k3" }),
  consistency({ weight: 1 }),
  gradientPenalty({ weight: 1 }),
  gradientPenalty({ weight: 1, target: 2, name: "penalty_of_target" }),
];
const byName = terms.map((term) => [term.name, term] as const);

/** A datum whose positions do not count, with numbers there that would spoil a sum. */
function uncounted(shape: readonly number[]): Datum {
  const length = shape.reduce((count, size) => count * size, 1);
  return lossDatum(shape, {
    weights: new Float32Array(length),
    [KEY]: new Float32Array(length).fill(Number.NaN),
  });
}

describeOnEachBackend("unusual batches", () => {
  it.each<[string, Datum[], Float32Array[]]>([
    ["no datums", [], []],
    ["datums without a position", [lossDatum([0]), lossDatum([0])], [new Float32Array(), new Float32Array()]],
  ])("of %s are refused: on wasm the sum of no numbers may be any", async (_name, data, logprobs) => {
    await expect(composeLoss(base, terms)(data, logprobs)).rejects.toThrow(
      "data has no logprobs to compute a loss of: pass datums with target_tokens",
    );
  });

  it.each(byName.filter(([name]) => !/penalty/.test(name)))(
    "%s of datums in which nothing counts is 0, whatever stands there",
    async (name, term) => {
      const nothing = composeLoss(() => ({ loss: tf.scalar(0) }), [term], { unusedGradients: "zero" });
      const logprobs = [
        Float32Array.of(-1, Number.NaN),
        Float32Array.of(Number.NEGATIVE_INFINITY, -2, -3, -4),
      ];
      const { loss, gradients, metrics } = await nothing([uncounted([2]), uncounted([2, 2])], logprobs);
      expect(loss).toBe(0);
      expect(gradients.flatMap((row) => Array.from(row, Math.abs))).toEqual([0, 0, 0, 0, 0, 0]);
      expect(metrics?.[`${name}_grad_norm:mean`]).toBe(0);
    },
  );

  it.each(byName)("%s is the same with datums without a position among others", async (name, term) => {
    const batch = (rows: readonly (readonly number[])[]) =>
      [
        rows.map((row) => lossDatum([row.length], { [KEY]: Float32Array.from(row, (p) => p - 1) })),
        rows.map((row) => Float32Array.from(row)),
      ] as const;
    const loss = composeLoss(base, [term]);
    // Neighbours have to be alike.
    const mixed = name === "consistency" ? [[], [], [-1, -2], [-3, -4]] : [[], [-1, -2], [], [-3, -4]];
    const withEmpty = await loss(...batch(mixed));
    const without = await loss(
      ...batch([
        [-1, -2],
        [-3, -4],
      ]),
    );
    expect(withEmpty.metrics).toEqual(without.metrics);
    expect(withEmpty.gradients.filter(({ length }) => length > 0)).toEqual(without.gradients);
  });

  it.each(byName)("%s of a NaN that counts is an error that names the term", async (name, term) => {
    const data = [0, 1].map(() => lossDatum([2], { [KEY]: Float32Array.of(-1, -1) }));
    const constant: TfLoss = (_, __, joined) => ({
      loss: /penalty/.test(name) ? tf.sum(tf.square(joined)) : tf.scalar(0),
    });
    const loss = composeLoss(constant, [term]);
    const label = /penalty/.test(name) ? "the custom loss" : `the term "${name}"`;
    await expect(loss(data, [Float32Array.of(-1, Number.NaN), Float32Array.of(-1, -2)])).rejects.toThrow(
      `${label} is NaN for this batch`,
    );
  });
});

describe("a term that fails", () => {
  const data = [lossDatum([2])];
  const logprobs = [Float32Array.of(-1, -2)];
  const own = (loss: LossTerm["loss"]): LossTerm => ({ name: "own", weight: 1, loss });
  const throws = (): never => {
    throw new Error("of the user's");
  };

  it.each<[name: string, term: LossTerm, message: string]>([
    ["throws after operations", own(({ joined }) => throws.call(tf.exp(joined))), "of the user's"],
    ["throws in a tidy", own(({ joined }) => tf.tidy(() => throws.call(tf.exp(joined)))), "of the user's"],
    ["is NaN", own(({ joined }) => ({ loss: tf.log(tf.sum(joined)) })), 'the term "own" is NaN'],
    [
      "is async",
      own((async ({ joined }: { joined: never }) => ({ loss: tf.sum(joined) })) as never),
      'the term "own" returned a promise',
    ],
    ["returns nothing", own((() => undefined) as never), 'the term "own" must return { loss, metrics? }'],
    ["has a reference that throws", l1({ weight: 1, reference: throws }), "of the user's"],
    ["has pairs that throw", consistency({ weight: 1, pairs: throws }), "of the user's"],
  ])("leaves no tensor when it %s", async (_name, term, message) => {
    const loss = composeLoss(base, [l2({ weight: 1 }), term]);
    await expect(loss(data, logprobs)).rejects.toThrow(message);
  });
});
