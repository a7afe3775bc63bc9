import { describe, expect, it } from "vitest";
import { newOptimizerState, zeroTensors } from "../adapter/adapter-tensors.js";
import { crossEntropy } from "../losses/cross-entropy.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { adamStep } from "./adam-step.js";
import { fillWithZeros } from "./tensor-arithmetic.js";
import { type GoldenAdam, goldenAdamStep } from "./testing/golden-adam.js";
import { readGoldenAdapter } from "./testing/golden-adapter.js";
import { type GoldenDatum, goldenDatum } from "./testing/golden-datum.js";
import { openGoldenModel, readGolden } from "./testing/golden-files.js";
import { createTrainer } from "./trainer.js";

interface Overfit {
  readonly data: readonly GoldenDatum[];
  readonly runs: readonly {
    readonly name: string;
    readonly model: string;
    readonly adapter: string;
    readonly lora_config: { readonly rank: number };
    readonly adam_params: GoldenAdam;
    readonly loss_before: readonly number[];
  }[];
}

const { data: goldenData, runs } = readGolden<Overfit>("lora/overfit/overfit.json");
const data = goldenData.map(goldenDatum);

describe.each(["native", "wasm"] as const)("overfitting eight datums on the %s runtime", (runtimeName) => {
  it.each(runs)("$name follows the recorded curve for 60 steps", async (run) => {
    const { config, weights } = openGoldenModel(run.model);
    const everything = { train_attn: true, train_mlp: true, train_unembed: true };
    const parameters = readGoldenAdapter(`lora/overfit/${run.adapter}`, config, {
      ...run.lora_config,
      ...everything,
    });
    const trainer = createTrainer({
      config,
      weights,
      runtime: await createRuntime({ runtime: runtimeName, threads: 1 }),
    });
    const gradients = zeroTensors(parameters);
    const state = newOptimizerState(parameters);
    for (const [step, expected] of run.loss_before.entries()) {
      const { lossSum } = await trainer.pass({
        parameters,
        data,
        loss: crossEntropy,
        lossConfig: {},
        gradients,
      });
      expect(Math.abs(lossSum - expected), `step ${step + 1}`).toBeLessThan(
        0.01 * Math.abs(expected) + 0.005,
      );
      adamStep(parameters, gradients, state, goldenAdamStep(run.adam_params));
      fillWithZeros(gradients);
    }
    await trainer.release();
  });
});
