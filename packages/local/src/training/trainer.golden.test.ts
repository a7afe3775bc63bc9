import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyAdapterParameters } from "../adapter/adapter-parameters.js";
import { newOptimizerState, zeroTensors } from "../adapter/adapter-tensors.js";
import type { EngineDatum } from "../engine/engine.js";
import { LOSSES, type LossName } from "../losses/loss-table.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { adamStep } from "./adam-step.js";
import { fillWithZeros, globalNorm } from "./tensor-arithmetic.js";
import { largestDifference, worstRelativeDifference } from "./testing/differences.js";
import { goldenAdamStep } from "./testing/golden-adam.js";
import { readGoldenAdapter, readGoldenTensors } from "./testing/golden-adapter.js";
import type { GoldenCase } from "./testing/golden-case.js";
import { goldenDatum } from "./testing/golden-datum.js";
import { openGoldenModel, readGolden } from "./testing/golden-files.js";
import { createTrainer, type Trainer } from "./trainer.js";

const cases = ["llama-r8-all", "llama-r8-zero-b", "llama3-r4-all", "qwen3-r4-attn", "qwen2-r8-mlp-unembed"];

/** The tolerances stated with the recordings. */
const logprobTolerance = 5e-5;
const gradientTolerance = 5e-5;
const lossTolerance = (loss: number) => 1e-3 + 1e-5 * Math.abs(loss);
const trainedLossTolerance = (loss: number) => 1e-3 + 1e-4 * Math.abs(loss);

const ways = [
  { runtimeName: "native", how: "rows at once", options: {} },
  { runtimeName: "wasm", how: "rows at once", options: {} },
  {
    runtimeName: "native",
    how: "rows by blocks",
    options: { maxTokensPerRun: 1, rowBytes: 0, blockLength: 8 },
  },
  {
    runtimeName: "wasm",
    how: "rows by blocks",
    options: { maxTokensPerRun: 1, rowBytes: 0, blockLength: 8 },
  },
] as const;

describe.each(ways)("training on the $runtimeName runtime, $how", ({ runtimeName, options }) => {
  describe.each(cases)("%s", (name) => {
    const golden = readGolden<GoldenCase>(`lora/${name}/case.json`);
    const { config, weights } = openGoldenModel(golden.model);
    const adapter = readGoldenAdapter(`lora/${name}/adapter`, config, golden.lora_config);
    const data = (key: string): EngineDatum[] => (golden.data[key] ?? []).map(goldenDatum);
    let trainer: Trainer;
    beforeAll(async () => {
      trainer = createTrainer({
        config,
        weights,
        runtime: await createRuntime({ runtime: runtimeName, threads: 1 }),
        ...options,
      });
    });
    afterAll(() => trainer.release());

    it.each(Object.entries(golden.forward_backward))(
      "%s: loss, log-probabilities, gradients",
      async (loss, expected) => {
        const gradients = zeroTensors(adapter);
        const request = { parameters: adapter, data: data(expected.data), loss: LOSSES[loss as LossName] };
        const lossConfig = request.loss.config;
        const result = await trainer.pass({ ...request, lossConfig, gradients });
        expect(Math.abs(result.lossSum - expected.loss_sum)).toBeLessThan(lossTolerance(expected.loss_sum));
        result.logprobs.forEach((logprobs, index) => {
          expect(largestDifference(logprobs, expected.logprobs[index] ?? [])).toBeLessThan(logprobTolerance);
        });
        const recorded = readGoldenTensors(`lora/${name}/${expected.gradients}`, adapter);
        expect(worstRelativeDifference(gradients, recorded)).toBeLessThan(gradientTolerance);

        const forward = await trainer.pass({ ...request, lossConfig });
        expect(Math.abs(forward.lossSum - expected.loss_sum)).toBeLessThan(lossTolerance(expected.loss_sum));
        if (expected.variant === undefined) return;
        const variant = await trainer.pass({ ...request, lossConfig: expected.variant.loss_fn_config });
        expect(Math.abs(variant.lossSum - expected.variant.loss_sum)).toBeLessThan(
          lossTolerance(expected.variant.loss_sum),
        );
      },
    );

    it("AdamW: parameters, losses and norms of ten steps", async () => {
      const { loss_fn, adam_params, steps } = golden.training;
      const loss = LOSSES[loss_fn];
      const parameters = copyAdapterParameters(adapter);
      const state = newOptimizerState(parameters);
      const gradients = zeroTensors(parameters);
      const batch = data(golden.forward_backward[loss_fn]?.data ?? "");
      const lossConfig = loss.config;
      for (const [index, expected] of steps.entries()) {
        const { lossSum } = await trainer.pass({ parameters, data: batch, loss, lossConfig, gradients });
        expect(Math.abs(lossSum - expected.loss_before)).toBeLessThan(
          trainedLossTolerance(expected.loss_before),
        );
        expect(globalNorm(gradients)).toBeCloseTo(expected.grad_norm, 1);
        adamStep(parameters, gradients, state, goldenAdamStep(adam_params));
        fillWithZeros(gradients);
        if (expected.parameters === undefined) continue;
        const recorded = readGoldenTensors(`lora/${name}/${expected.parameters}`, parameters);
        const inStepsOf = parameters.pairs.flatMap(({ a, b }, pair) =>
          [
            [a, recorded[pair]?.a],
            [b, recorded[pair]?.b],
          ].flatMap(([got, wanted]) =>
            [...(got ?? [])].map(
              (value, place) => Math.abs(value - (wanted?.[place] ?? Number.NaN)) / adam_params.learning_rate,
            ),
          ),
        );
        const close = inStepsOf.filter((difference) => difference < 0.02).length;
        expect(close / inStepsOf.length, `step ${index + 1}`).toBeGreaterThan(0.999);
        expect(Math.max(...inStepsOf), `step ${index + 1}`).toBeLessThan(0.5);
      }
    });
  });
});
