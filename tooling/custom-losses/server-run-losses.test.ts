import { type DatumLike, graphLoss, type LossGraph, lossGraph } from "@tinkex/client";
import { expect, it } from "vitest";
import { answerDatum, logprobsOf, useLocalTraining } from "./local-training.js";

const { newModel } = useLocalTraining();
const STEP = { learning_rate: 5e-3 };
const STEPS = 2;

/** A clipped ratio to what a sampler recorded, with a metric of each kind. */
const clippedRatio = lossGraph(
  "clipped",
  { logprobs: 1, sampled: 1, advantages: 1 },
  ({ logprobs, sampled, advantages }) => {
    const ratio = logprobs.sub(sampled).exp();
    const clipped = ratio.clamp({ min: 0.8, max: 1.2 });
    return {
      loss: ratio.mul(advantages).minimum(clipped.mul(advantages)).sum().neg(),
      metrics: { "custom/ratio:mean": ratio.mean(), "custom/n:sum": ratio.onesLike().sum() },
    };
  },
);

/** Two targets a token, of which the better one counts. */
const bestOfTwo = lossGraph("best", { logprobs: 2 }, ({ logprobs }) => ({
  loss: logprobs.max({ dim: 1 }).sum().neg(),
  metrics: { "custom/spread:mean": logprobs.logsumexp({ dim: 1 }).mean() },
}));

function rated(text: string, advantage: number): DatumLike {
  const { model_input, loss_fn_inputs } = answerDatum(text, ".");
  const length = text.length;
  return {
    model_input,
    loss_fn_inputs: {
      target_tokens: loss_fn_inputs?.target_tokens ?? [],
      sampled: { data: new Float32Array(length).fill(-2), dtype: "float32", shape: [length] },
      advantages: new Float32Array(length).fill(advantage),
    },
  };
}

const paired: DatumLike = {
  model_input: [104, 105, 106],
  loss_fn_inputs: {
    target_tokens: [
      [105, 10],
      [106, 11],
      [107, 12],
    ],
  },
};

const CASES: readonly { readonly loss: LossGraph; readonly data: readonly DatumLike[] }[] = [
  { loss: clippedRatio, data: [rated("the cat sat", 1), rated("two", -0.5)] },
  { loss: bestOfTwo, data: [paired] },
];

it.each(CASES)(
  "a graph trains alike, run by the server and by the client: $loss.name",
  async ({ loss, data }) => {
    const [there, here] = [await newModel(), await newModel()];
    const handle = await there.createCustomLoss(loss);
    expect(handle.lossId).toMatch(/:loss:\d+$/);
    for (let step = 0; step < STEPS; step += 1) {
      const [theirs, ours] = await Promise.all([
        there.forwardBackwardCustom(data, handle),
        here.forwardBackwardCustom(data, graphLoss(loss)),
      ]);
      for (const name of [
        "loss:sum",
        ...Object.keys(theirs.metrics).filter((key) => key.startsWith("custom/")),
      ]) {
        const [value, expected] = [theirs.metrics[name] ?? Number.NaN, ours.metrics[name] ?? Number.NaN];
        expect(Math.abs(value - expected), `${name}: ${value}, ${expected}`).toBeLessThan(
          1e-5 * Math.max(1, Math.abs(expected)),
        );
      }
      await Promise.all([there.optimStep(STEP), here.optimStep(STEP)]);
    }
    const scored = [answerDatum("the cat sat", " on the mat")];
    const [own = [], other = []] = [
      (await logprobsOf(there, scored))[0],
      (await logprobsOf(here, scored))[0],
    ];
    expect(own).toHaveLength(other.length);
    for (const [index, value] of own.entries())
      expect(Math.abs(value - (other[index] ?? Number.NaN))).toBeLessThan(1e-5);
  },
);
