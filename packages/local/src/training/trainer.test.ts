import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyAdapterParameters } from "../adapter/adapter-parameters.js";
import { type AdapterTensors, newOptimizerState, zeroTensors } from "../adapter/adapter-tensors.js";
import type { EngineDatum } from "../engine/engine.js";
import { LOSSES, type LossName } from "../losses/loss-table.js";
import { quantizedWeights } from "../model/quantized-weights.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { adamStep } from "./adam-step.js";
import { fillWithZeros, globalNorm } from "./tensor-arithmetic.js";
import { largestDifference, worstRelativeDifference } from "./testing/differences.js";
import { type GoldenAdam, goldenAdamStep } from "./testing/golden-adam.js";
import { readGoldenAdapter, readGoldenTensors } from "./testing/golden-adapter.js";
import type { GoldenCase, GoldenPass } from "./testing/golden-case.js";
import { type GoldenDatum, goldenDatum } from "./testing/golden-datum.js";
import { openGoldenModel, readGolden } from "./testing/golden-files.js";
import { createTrainer, type Trainer, type TrainerOptions } from "./trainer.js";

const golden = readGolden<GoldenCase>("lora/llama-r8-all/case.json");
const { config, weights } = openGoldenModel(golden.model);
const adapter = readGoldenAdapter("lora/llama-r8-all/adapter", config, golden.lora_config);
const dataOf = (key: string) => (golden.data[key] ?? []).map(goldenDatum);
const supervised = dataOf("supervised");
const gradientTolerance = 5e-5;

const trainers: Trainer[] = [];
async function trainerWith(options: Partial<TrainerOptions> = {}): Promise<Trainer> {
  const runtime = await createRuntime({ threads: 2 });
  const trainer = createTrainer({ config, weights, runtime, ...options });
  trainers.push(trainer);
  return trainer;
}
afterAll(async () => {
  for (const trainer of trainers) await trainer.release();
});

let trainer: Trainer;
beforeAll(async () => {
  trainer = await trainerWith();
});

/** One pass of the golden adapter; its gradient starts at 0 unless given. */
async function passOf(
  data: readonly EngineDatum[],
  lossName: LossName = "cross_entropy",
  { gradients = zeroTensors(adapter), by = trainer }: { gradients?: AdapterTensors; by?: Trainer } = {},
) {
  const loss = LOSSES[lossName];
  const lossConfig = loss.config;
  const result = await by.pass({ parameters: adapter, data, loss, lossConfig, gradients });
  return { ...result, gradients };
}

describe("createTrainer", () => {
  it("loss-functions 4: adds gradients over passes, leaves them alone in a forward pass, steps and steps again", async () => {
    const { operations } = readGolden<{
      operations: readonly { loss_sum?: number; grad_norm?: number; adam_params?: GoldenAdam }[];
    }>("lora/llama-r8-all/accumulate.json");
    const parameters = copyAdapterParameters(adapter);
    const gradients = zeroTensors(parameters);
    const pass = (loss: LossName, data: readonly EngineDatum[], target?: AdapterTensors) =>
      trainer.pass({
        parameters,
        data,
        loss: LOSSES[loss],
        lossConfig: LOSSES[loss].config,
        ...(target && { gradients: target }),
      });
    const first = await pass("cross_entropy", supervised.slice(0, 2), gradients);
    await pass("cross_entropy", supervised);
    const second = await pass("importance_sampling", dataOf("rl").slice(2), gradients);
    expect(first.lossSum).toBeCloseTo(operations[0]?.loss_sum ?? Number.NaN, 2);
    expect(second.lossSum).toBeCloseTo(operations[2]?.loss_sum ?? Number.NaN, 2);
    const recorded = readGoldenTensors("lora/llama-r8-all/accumulate.grads.safetensors", parameters);
    expect(worstRelativeDifference(gradients, recorded)).toBeLessThan(gradientTolerance);
    const state = newOptimizerState(parameters);
    for (const step of [1, 2]) {
      const { adam_params, grad_norm } = operations[step + 2] ?? {};
      if (adam_params === undefined) throw new Error("The recording has an optim_step here.");
      const { gradientNorm } = adamStep(parameters, gradients, state, goldenAdamStep(adam_params));
      expect(gradientNorm).toBeCloseTo(grad_norm ?? Number.NaN, 1);
      fillWithZeros(gradients);
      const after = readGoldenTensors(`lora/llama-r8-all/accumulate.after-${step}.safetensors`, parameters);
      parameters.pairs.forEach(({ a, b }, index) => {
        expect(largestDifference(a, after[index]?.a ?? [])).toBeLessThan(0.5 * adam_params.learning_rate);
        expect(largestDifference(b, after[index]?.b ?? [])).toBeLessThan(0.5 * adam_params.learning_rate);
      });
    }
  });

  it.each(["sum_of_squares", "dpo", "nonlinear_mixture"])(
    "loss-functions 6: the surrogate of the custom loss %s has that loss's gradient",
    async (name) => {
      const custom = readGolden<
        Record<string, GoldenPass & { surrogate_weights: number[][]; surrogate_loss_sum: number }>
      >("lora/llama-r8-all/custom.json")[name];
      if (custom === undefined) throw new Error(`No custom loss ${name} is recorded.`);
      const data = supervised.map((datum, index) => ({
        ...datum,
        lossInputs: { weights: Float32Array.from(custom.surrogate_weights[index] ?? []) },
      }));
      const { lossSum, gradients } = await passOf(data);
      expect(lossSum / custom.surrogate_loss_sum).toBeCloseTo(1, 5);
      const recorded = readGoldenTensors(`lora/llama-r8-all/${custom.gradients}`, adapter);
      expect(worstRelativeDifference(gradients, recorded)).toBeLessThan(gradientTolerance);
    },
  );

  it("loss-functions 4: gives the same gradient in one run, in many runs and datum by datum", async () => {
    const whole = await passOf(supervised);
    const split = await passOf(supervised, "cross_entropy", {
      by: await trainerWith({ maxTokensPerRun: 12 }),
    });
    const oneByOne = zeroTensors(adapter);
    let lossSum = 0;
    for (const datum of supervised)
      lossSum += (await passOf([datum], "cross_entropy", { gradients: oneByOne })).lossSum;
    expect(worstRelativeDifference(split.gradients, whole.gradients)).toBeLessThan(gradientTolerance);
    expect(worstRelativeDifference(oneByOne, whole.gradients)).toBeLessThan(gradientTolerance);
    expect(split.lossSum).toBeCloseTo(whole.lossSum, 3);
    expect(lossSum).toBeCloseTo(whole.lossSum, 3);
    split.logprobs.forEach((logprobs, index) => {
      expect(largestDifference(logprobs, whole.logprobs[index] ?? [])).toBeLessThan(5e-5);
    });
  });

  it("gives exactly the same numbers twice", async () => {
    const [first, second] = [await passOf(supervised), await passOf(supervised)];
    expect(second).toEqual(first);
  });

  it.each(["native", "wasm"] as const)(
    "loss-functions 3.7: masked tokens add exactly nothing, %s",
    async (name) => {
      const by = await trainerWith({ runtime: await createRuntime({ runtime: name, threads: 1 }) });
      const masked = supervised.map((datum) => ({
        ...datum,
        lossInputs: { weights: new Float32Array(datum.targets.length) },
      }));
      const { lossSum, gradients, logprobs } = await passOf(masked, "cross_entropy", { by });
      expect(lossSum).toBe(0);
      expect(globalNorm(gradients)).toBe(0);
      expect(logprobs.map(({ length }) => length)).toEqual(supervised.map(({ tokens }) => tokens.length));
    },
  );

  it("loss-functions 3.1: takes all weights as 1 where none are given", async () => {
    const bare = supervised.map((datum) => ({ ...datum, lossInputs: {} }));
    const ones = bare.map((datum) => ({
      ...datum,
      lossInputs: { weights: new Float32Array(datum.targets.length).fill(1) },
    }));
    const [without, withOnes] = [await passOf(bare), await passOf(ones)];
    expect(without.lossSum).toBe(withOnes.lossSum);
    expect(without.gradients).toEqual(withOnes.gradients);
  });

  it("loss-functions 12.1: per-token thresholds win over those of the configuration", async () => {
    const rl = dataOf("rl");
    const narrow = await trainer.pass({
      parameters: adapter,
      data: rl,
      loss: LOSSES.ppo,
      lossConfig: { clip_low_threshold: 0.9, clip_high_threshold: 1.1 },
    });
    const perToken = rl.map((datum) => ({
      ...datum,
      lossInputs: {
        ...datum.lossInputs,
        clip_low_threshold: new Float32Array(datum.tokens.length).fill(0.9),
        clip_high_threshold: new Float32Array(datum.tokens.length).fill(1.1),
      },
    }));
    const { lossSum } = await passOf(perToken, "ppo");
    expect(lossSum).toBe(narrow.lossSum);
    expect(lossSum).not.toBe((await passOf(rl, "ppo")).lossSum);
  });

  it("has nothing to add for no data", async () => {
    const { lossSum, logprobs, gradients } = await passOf([]);
    expect({ lossSum, logprobs, norm: globalNorm(gradients) }).toEqual({ lossSum: 0, logprobs: [], norm: 0 });
  });

  it("leaves the gradient untouched when a later run of the pass fails", async () => {
    let runs = 0;
    const failing = await trainerWith({
      maxTokensPerRun: 12,
      async betweenRuns() {
        runs += 1;
        if (runs === 2) throw new Error("the second run failed");
      },
    });
    const gradients = zeroTensors(adapter);
    await expect(passOf(supervised, "cross_entropy", { gradients, by: failing })).rejects.toThrow(
      "second run",
    );
    expect(globalNorm(gradients)).toBe(0);
  });

  it("lets the event loop turn between runs", async () => {
    // The native runtime waits for the event loop by itself; wasm computes within one turn.
    const by = await trainerWith({
      maxTokensPerRun: 12,
      runtime: await createRuntime({ runtime: "wasm", threads: 1 }),
    });
    await passOf(supervised, "cross_entropy", { by });
    let turns = 0;
    let counting = setImmediate(function count() {
      turns += 1;
      counting = setImmediate(count);
    });
    await passOf(supervised, "cross_entropy", { by });
    clearImmediate(counting);
    expect(turns).toBeGreaterThanOrEqual(supervised.length - 1);
  });
});

describe("top-K cross entropy", () => {
  it("loss-functions 3.1: sums over (N, K) targets and gives (N, K) log-probabilities", async () => {
    const topk = readGolden<
      GoldenPass & {
        datums: readonly { dense: GoldenDatum }[];
        logprobs: readonly (readonly (readonly number[])[])[];
      }
    >("lora/qwen3-r4-attn/topk.json");
    const qwenCase = readGolden<GoldenCase>("lora/qwen3-r4-attn/case.json");
    const qwen = openGoldenModel(qwenCase.model);
    const parameters = readGoldenAdapter("lora/qwen3-r4-attn/adapter", qwen.config, qwenCase.lora_config);
    const gradients = zeroTensors(parameters);
    const by = await trainerWith(qwen);
    const data = topk.datums.map(({ dense }) => goldenDatum(dense));
    const { lossSum, logprobs } = await by.pass({
      parameters,
      data,
      loss: LOSSES.cross_entropy,
      lossConfig: {},
      gradients,
    });
    expect(lossSum).toBeCloseTo(topk.loss_sum, 2);
    topk.logprobs.forEach((expected, index) => {
      expect(largestDifference(logprobs[index] ?? [], expected.flat())).toBeLessThan(5e-5);
    });
    const recorded = readGoldenTensors(`lora/qwen3-r4-attn/${topk.gradients}`, parameters);
    expect(worstRelativeDifference(gradients, recorded)).toBeLessThan(gradientTolerance);
  });
});

describe.each([2, 4, 64])("rows that are computed by blocks of %i tokens", (blockLength) => {
  const inBlocks = { maxTokensPerRun: 1, rowBytes: 0, blockLength };

  it.each(["cross_entropy", "ppo"] as const)("%s: give what the rows give at once", async (loss) => {
    const data = loss === "ppo" ? dataOf("rl") : supervised;
    const [whole, blocked] = [
      await passOf(data, loss),
      await passOf(data, loss, { by: await trainerWith(inBlocks) }),
    ];
    expect(blocked.lossSum).toBeCloseTo(whole.lossSum, 3);
    blocked.logprobs.forEach((logprobs, index) => {
      expect(largestDifference(logprobs, whole.logprobs[index] ?? [])).toBeLessThan(5e-5);
    });
    expect(worstRelativeDifference(blocked.gradients, whole.gradients)).toBeLessThan(gradientTolerance);
  });

  it.each([8, 4] as const)("give what they give at once where weights have %i bits", async (bits) => {
    const few = { weights: quantizedWeights(weights, config, bits) };
    const by = await trainerWith({ ...few, ...inBlocks });
    const whole = await passOf(supervised, "cross_entropy", { by: await trainerWith(few) });
    const blocked = await passOf(supervised, "cross_entropy", { by });
    expect(blocked.lossSum).toBeCloseTo(whole.lossSum, 3);
    expect(worstRelativeDifference(blocked.gradients, whole.gradients)).toBeLessThan(gradientTolerance);
  });

  it("take several targets a token, also in blocks without weights", async () => {
    const data = supervised.map((datum) => {
      const K = 2;
      const lastOnly = new Float32Array(K * datum.tokens.length);
      lastOnly.set([0.5, -1], lastOnly.length - K);
      return {
        ...datum,
        targets: Int32Array.from(lastOnly, (_, at) => (at % K === 0 ? (datum.targets[at / K] ?? 0) : 7)),
        targetsPerToken: K,
        targetsAreMatrix: true,
        lossInputs: { weights: lastOnly },
      };
    });
    const by = await trainerWith(inBlocks);
    const [whole, blocked] = [
      await passOf(data, "cross_entropy"),
      await passOf(data, "cross_entropy", { by }),
    ];
    expect(globalNorm(whole.gradients)).toBeGreaterThan(0.1);
    expect(blocked.lossSum).toBeCloseTo(whole.lossSum, 3);
    expect(worstRelativeDifference(blocked.gradients, whole.gradients)).toBeLessThan(gradientTolerance);
  });

  it("add exactly nothing where they are masked", async () => {
    const masked = supervised.map((datum) => ({
      ...datum,
      lossInputs: { weights: new Float32Array(datum.targets.length) },
    }));
    const { lossSum, gradients } = await passOf(masked, "cross_entropy", { by: await trainerWith(inBlocks) });
    expect({ lossSum, norm: globalNorm(gradients) }).toEqual({ lossSum: 0, norm: 0 });
  });
});
