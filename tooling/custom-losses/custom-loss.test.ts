import * as tf from "@tensorflow/tfjs";
import type { CustomLoss, DatumLike } from "@tinkex/client";
import { customLoss, type TfLoss, toTensor } from "@tinkex/tensor/tfjs";
import { expect, it } from "vitest";
import { answerDatum, logprobsOf, useLocalTraining } from "./local-training.js";

const { newModel } = useLocalTraining();
const step = { learning_rate: 5e-3 };

function largestGap(a: readonly ArrayLike<number>[], b: readonly ArrayLike<number>[]): number {
  expect(a.map(({ length }) => length)).toEqual(b.map(({ length }) => length));
  return Math.max(
    ...a.flatMap((row, datum) =>
      Array.from(row, (value, index) => Math.abs(value - Number(b[datum]?.[index]))),
    ),
  );
}

/** −Σ w·p, as cross entropy with the weights w. */
const weighted: TfLoss = (data, logprobs) => ({
  loss: tf.neg(
    tf.addN(
      logprobs.map((p, index) => {
        const { weights } = data[index]?.loss_fn_inputs ?? {};
        return weights === undefined ? expect.fail("no weights") : tf.sum(tf.mul(p, toTensor(weights)));
      }),
    ),
  ),
});

const data: DatumLike[] = [
  { ...answerDatum("the cat sat ", "on the mat") },
  {
    model_input: [104, 105, 106],
    loss_fn_inputs: { target_tokens: [105, 106, 107], weights: [0.5, -1, 2] },
  },
];

it("BR-059: trains as cross entropy with the same weights does", async () => {
  const [custom, builtIn] = [await newModel(), await newModel()];
  const before = await logprobsOf(custom, data);
  for (let turn = 0; turn < 2; turn++) {
    const pass = custom.forwardBackwardCustom(data, customLoss(weighted));
    const other = builtIn.forwardBackward(data, "cross_entropy");
    const optim = [custom.optimStep(step), builtIn.optimStep(step)] as const;
    expect((await pass).metrics["loss:sum"]).toBeCloseTo((await other).metrics["loss:sum"] ?? Number.NaN, 3);
    const [grad_norm, other_norm] = (await Promise.all(optim)).map(
      ({ metrics }) => metrics?.["grad_norm:mean"],
    );
    expect(grad_norm).toBeCloseTo(other_norm ?? Number.NaN, 4);
  }
  const after = await logprobsOf(custom, data);
  expect(largestGap(after, await logprobsOf(builtIn, data))).toBeLessThan(1e-5);
  expect(largestGap(after, before)).toBeGreaterThan(0.01);
});

/** Direct preference: −log σ(β·((c − c₀) − (r − r₀))), of a chosen and a rejected answer and their sums under a reference. */
const BETA = 0.1;
const preferences = [answerDatum("two and two is ", "four"), answerDatum("two and two is ", "five")];
const references = [-9, -11];

const dpoOfTensors: TfLoss = (_, [chosen, rejected]) => {
  const margin = tf
    .sub(tf.sum(chosen ?? []), tf.sum(rejected ?? []))
    .add((references[1] ?? 0) - (references[0] ?? 0));
  const scaled = margin.mul(BETA);
  return {
    loss: tf.neg(tf.logSigmoid(scaled)),
    metrics: { "accuracy:mean": tf.cast(margin.greater(0), "float32") },
  };
};

const dpoByHand: CustomLoss = (_, [chosen = [], rejected = []]) => {
  const sum = (values: ArrayLike<number>) => Array.from(values).reduce((total, value) => total + value, 0);
  const margin = sum(chosen) - (references[0] ?? 0) - sum(rejected) + (references[1] ?? 0);
  const slope = BETA / (1 + Math.exp(BETA * margin));
  return {
    loss: Math.log1p(Math.exp(-BETA * margin)),
    gradients: [Array.from(chosen, () => -slope), Array.from(rejected, () => slope)],
    metrics: { "accuracy:mean": margin > 0 ? 1 : 0 },
  };
};

it("clients 48: a preference loss has the gradient that is written by hand, and trains alike", async () => {
  const [byTensors, byHand] = [await newModel(), await newModel()];
  let compared = 0;
  for (let turn = 0; turn < 3; turn++) {
    const passes = [
      byTensors.forwardBackwardCustom(preferences, async (given, logprobs) => {
        const [own, hand] = [
          await customLoss(dpoOfTensors)(given, logprobs),
          await dpoByHand(given, logprobs),
        ];
        expect(own.loss).toBeCloseTo(hand.loss, 6);
        expect(own.metrics).toEqual(hand.metrics);
        expect(largestGap(own.gradients, hand.gradients)).toBeLessThan(1e-6);
        compared += 1;
        return own;
      }),
      byHand.forwardBackwardCustom(preferences, dpoByHand),
    ];
    await Promise.all([byTensors.optimStep(step), byHand.optimStep(step), ...passes]);
  }
  expect(compared).toBe(3);
  const after = await logprobsOf(byTensors, preferences);
  expect(largestGap(after, await logprobsOf(byHand, preferences))).toBeLessThan(1e-4);
  const { metrics } = await byTensors.forwardBackwardCustom(preferences, customLoss(dpoOfTensors));
  expect(metrics["loss:sum"]).toBeLessThan(0.7);
});

it("BR-057: sees inputs that the service is not sent", async () => {
  const training = await newModel();
  const own: DatumLike = {
    model_input: [104, 105],
    loss_fn_inputs: {
      target_tokens: [105, 106],
      advantages: tf.tensor1d([1, -2]),
      mine: Float32Array.of(3, 4),
    },
  };
  const seen: number[][] = [];
  const loss: TfLoss = ([datum], [p]) => {
    const { advantages, mine } = datum?.loss_fn_inputs ?? {};
    if (advantages === undefined || mine === undefined || p === undefined)
      return expect.fail("an input is missing");
    seen.push(Array.from(advantages.data, Number), Array.from(mine.data, Number));
    return { loss: tf.sum(tf.mul(p, toTensor(advantages))) };
  };
  await training.forwardBackwardCustom([own], customLoss(loss));
  tf.dispose(own.loss_fn_inputs.advantages as tf.Tensor);
  expect(seen).toEqual([
    [1, -2],
    [3, 4],
  ]);
});

it("BR-094: leaves no tensor behind when the second pass fails", async () => {
  const training = await newModel();
  const before = tf.memory().numTensors;
  const failing = training.forwardBackwardCustom(data, async (...call) => {
    const { loss, gradients } = await customLoss(weighted)(...call);
    return {
      loss,
      gradients: gradients.map((row) => Float32Array.from(row, () => Number.POSITIVE_INFINITY)),
    };
  });
  await expect(failing).rejects.toThrow("it must be finite");
  expect(tf.memory().numTensors).toBe(before);
  await expect(training.forwardBackwardCustom(data, customLoss(weighted))).resolves.toBeDefined();
  expect(tf.memory().numTensors).toBe(before);
});
