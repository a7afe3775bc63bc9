import * as tf from "@tensorflow/tfjs";
import type { DatumLike } from "@tinkex/client";
import {
  composeLoss,
  consistency,
  entropy,
  gradientPenalty,
  klToReference,
  type LossTerm,
  l1,
  l2,
  type TfLoss,
} from "@tinkex/tensor/tfjs";
import { describe, expect, it } from "vitest";
import { answerDatum, logprobsOf, tokensOf, useLocalTraining } from "./local-training.js";

const { newModel } = useLocalTraining();
const STEPS = 6;
const VOCABULARY_SIZE = 264;

/** What the base loss learns: the first datum, of which nothing counts for the terms. */
const learnt: DatumLike = {
  model_input: tokensOf("the cat sat on the ma"),
  loss_fn_inputs: { target_tokens: tokensOf("he cat sat on the mat"), weights: new Float32Array(21) },
};
const negativeLogLikelihood: TfLoss = (_, [first]) => ({ loss: tf.neg(tf.sum(first ?? [])) });
/** Importance sampling of the first datum: −Σ exp(p − q), with q = −3 everywhere. */
const importanceSampling: TfLoss = (_, [first]) => ({ loss: tf.neg(tf.sum(tf.exp(tf.add(first ?? [], 3)))) });

/** What else is in the batch: only terms see it. */
const kept = answerDatum("the dog ran ", "in the sun");
const paraphrase = answerDatum("a dog was running ", "in the sun");
/** Every token of the vocabulary as a candidate, after each of a few. */
const everyToken: DatumLike = {
  model_input: tokensOf("in th"),
  loss_fn_inputs: {
    target_tokens: tokensOf("in th").map(() => Array.from({ length: VOCABULARY_SIZE }, (_, token) => token)),
  },
};

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const answerOf = (logprobs: readonly number[] | undefined) => logprobs?.slice(-"in the sun".length) ?? [];
const drift = (now: number[][], before: number[][], distance: (gap: number) => number) =>
  sum(answerOf(now[1]).map((value, index) => distance(value - (answerOf(before[1])[index] ?? 0))));
const entropyOf = (now: number[][]) => -sum((now[1] ?? []).map((p) => Math.exp(p) * p));

interface Case {
  readonly base?: TfLoss;
  readonly others: readonly DatumLike[];
  /** Made anew for each run, with the log-probabilities from before it. */
  readonly term: (before: number[][]) => LossTerm;
  /** What the term should make smaller, given log-probabilities now and from before the run. */
  readonly measure: (now: number[][], before: number[][]) => number;
}

const cases: Readonly<Record<string, Case>> = {
  l1: {
    others: [kept],
    term: (before) => l1({ weight: 5, reference: (_, index) => before[index] ?? [] }),
    measure: (now, before) => drift(now, before, Math.abs),
  },
  l2: {
    others: [kept],
    term: () => l2({ weight: 2 }),
    measure: (now) => sum(answerOf(now[1]).map((p) => p ** 2)),
  },
  entropy: {
    others: [everyToken],
    term: () => entropy({ weight: 10 }),
    measure: (now) => -entropyOf(now),
  },
  "entropy with a negative weight": {
    others: [everyToken],
    term: () => entropy({ weight: -10 }),
    measure: entropyOf,
  },
  klToReference: {
    others: [everyToken],
    term: (before) => klToReference({ weight: 50, reference: (_, index) => before[index] ?? [] }),
    measure: (now, before) =>
      sum((now[1] ?? []).map((p, index) => Math.exp(p) * (p - (before[1]?.[index] ?? 0)))),
  },
  consistency: {
    others: [kept, paraphrase],
    term: () => consistency({ weight: 5, pairs: () => [[1, 2]] }),
    measure: (now) => sum(answerOf(now[1]).map((p, index) => (p - (answerOf(now[2])[index] ?? 0)) ** 2)),
  },
  gradientPenalty: {
    base: importanceSampling,
    others: [],
    term: () => gradientPenalty({ weight: 0.1 }),
    measure: (now) => sum((now[0] ?? []).map((p) => Math.exp(2 * (p + 3)))),
  },
};

async function measured({ base = negativeLogLikelihood, others, term, measure }: Case, withTerm: boolean) {
  const training = await newModel();
  const data = [learnt, ...others];
  const before = await logprobsOf(training, data);
  const terms = withTerm ? [term(before)] : [];
  const history: Record<string, number>[] = [];
  for (let step = 0; step < STEPS; step++) {
    const pass = training.forwardBackwardCustom(data, composeLoss(base, terms, { unusedGradients: "zero" }));
    const optim = training.optimStep({ learning_rate: 2e-3 });
    history.push((await pass).metrics);
    await optim;
  }
  return { value: measure(await logprobsOf(training, data), before), history, name: terms[0]?.name };
}

describe("on the local server", () => {
  it.each(Object.entries(cases))("%s changes what is learnt", async (_name, trial) => {
    const without = await measured(trial, false);
    const withTerm = await measured(trial, true);
    // By far more than chance: without the term both runs are the same to the last bit.
    expect(withTerm.value).toBeLessThan(without.value - 0.4 * Math.abs(without.value));
    const norms = withTerm.history.map((metrics) => metrics[`${withTerm.name}_grad_norm:mean`] ?? Number.NaN);
    // The divergence from where the run begins is 0 at its first step.
    expect(Math.min(...norms.slice(1))).toBeGreaterThan(0);
    expect(withTerm.history[0]?.["base_loss:sum"]).toBeCloseTo(without.history[0]?.["base_loss:sum"] ?? 0, 4);
  });
});
