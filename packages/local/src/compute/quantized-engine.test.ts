import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { createAdapterParameters } from "../adapter/adapter-parameters.js";
import { LOSSES } from "../losses/loss-table.js";
import { readModelConfig } from "../model/read-model-config.js";
import { dequantizeRows } from "../quantization/testing/dequantize-rows.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { createTinySampler, sampleTask } from "../sampling/testing/tiny-sampler.js";
import { largestDifference } from "../training/testing/differences.js";
import { goldenPath } from "../training/testing/golden-files.js";
import { createTrainer } from "../training/trainer.js";
import { openEngineWeights } from "./engine-weights.js";
import { createInProcessEngine } from "./in-process-engine.js";

const cacheDirectory = temporaryDirectory();

const prompt = Int32Array.of(1, 282, 270, 206, 325, 273, 311, 360);
const datum = {
  tokens: prompt.slice(0, -1),
  targets: prompt.slice(1),
  targetsPerToken: 1,
  targetsAreMatrix: false,
  lossInputs: { weights: new Float32Array(prompt.length - 1).fill(1) },
};
const shape = { rank: 4, trainAttention: true, trainMlp: true, trainUnembedding: true };

/** @param minSharedBytes - 0 for weights in a file, as a large model's */
function openQuantized(name: string, weights: "int8" | "int4", minSharedBytes?: number) {
  const directory = goldenPath(`models/${name}`);
  const config = readModelConfig(directory);
  const options = { model: { name, directory, weights }, cacheDirectory };
  return { config, weights: openEngineWeights(config, options, "native", minSharedBytes) };
}

async function promptLogprobs(name: string, options: Parameters<typeof createTinySampler>[1]) {
  const sampler = await createTinySampler(name, options);
  const task = sampleTask({ prompt, wantsPromptLogprobs: true, maxTokens: 1 });
  const { promptLogprobs: found = new Float32Array(0) } = await sampler.sample(task, undefined);
  await sampler.close();
  return found.subarray(1);
}

/** The same model as float32 of the numbers that its quantized weights stand for. A tied unembedding is a matrix of its own then. */
function widened({ config, weights }: ReturnType<typeof openQuantized>) {
  const get = (name: string) => {
    const found = weights.quantized?.(name);
    if (found === undefined) return weights.get(name);
    const { packed, scales, shape, bits } = found;
    if ("file" in packed || "file" in scales) throw new Error("the weights lie in a file");
    return { data: dequantizeRows({ packed, scales }, shape[1], bits), shape };
  };
  return { config: { ...config, tiedEmbeddings: false }, weights: { get } };
}

/** With 8 bits the sampler rounds what it multiplies, which the trainer does not; with 4 bits neither does. */
const ROUNDING = { int8: 0.15, int4: 0 } as const;
const TOLERANCE = 5e-5;

describe.each(["int8", "int4"] as const)("%s weights", (format) => {
  // Llama and Qwen 3 are tied, Llama 3 is not, Qwen 2 has biases.
  it.each(["tiny-llama", "tiny-llama3", "tiny-qwen2", "tiny-qwen3"])(
    "of %s, in each graph or in a file, give sampler and trainer the log-probabilities of the numbers they stand for",
    async (name) => {
      const inGraph = openQuantized(name, format);
      const inFile = openQuantized(name, format, 0);
      const expected = await promptLogprobs(name, widened(inGraph));
      const sampled = await promptLogprobs(name, { weights: inGraph.weights });
      expect(largestDifference(sampled, expected)).toBeLessThan(ROUNDING[format] + TOLERANCE);
      expect(await promptLogprobs(name, { weights: inFile.weights })).toEqual(sampled);
      for (const { config, weights } of [inGraph, inFile]) {
        const trainer = createTrainer({ config, weights, runtime: await createRuntime({ threads: 1 }) });
        const loss = LOSSES.cross_entropy;
        const parameters = createAdapterParameters(config, shape, 1);
        const { logprobs } = await trainer.pass({ parameters, data: [datum], loss, lossConfig: loss.config });
        await trainer.release();
        expect(largestDifference(logprobs[0] ?? [], expected)).toBeLessThan(TOLERANCE);
        weights.close();
      }
      expect(largestDifference(sampled, await promptLogprobs(name, {}))).toBeGreaterThan(1e-3);
    },
  );

  it("are trained on: the loss falls, and samples say what was taught", async () => {
    const directory = goldenPath("models/tiny-llama");
    const engine = await createInProcessEngine({
      model: { name: "tiny", directory, weights: format },
      runtime: "native",
      threads: 2,
    });
    expect(engine.model.weights).toBe(format);
    await engine.createAdapter("a", shape, 1);
    const losses: number[] = [];
    for (let step = 0; step < 25; step += 1) {
      const pass = {
        adapterId: "a",
        data: [datum],
        loss: "cross_entropy",
        lossConfig: {},
        forwardOnly: false,
      } as const;
      losses.push((await engine.pass(pass)).lossSum);
      const adam = { beta1: 0.9, beta2: 0.95, epsilon: 1e-12, weightDecay: 0, gradientClipNorm: 0 };
      await engine.optimStep("a", { learningRate: 0.01, ...adam });
    }
    expect(losses.at(-1)).toBeLessThan((losses[0] ?? 0) / 20);
    const task = sampleTask({ prompt: prompt.slice(0, 2), maxTokens: 6 });
    const { sequences } = await engine.sample({ ...task, adapterId: "a" });
    expect([...(sequences[0]?.tokens ?? [])]).toEqual([...prompt.subarray(2)]);
    await engine.close();
  });

  it("are refused by an engine in WebAssembly", async () => {
    const directory = goldenPath("models/tiny-llama");
    const options = {
      model: { name: "tiny", directory, weights: format },
      runtime: "wasm",
      threads: 1,
    } as const;
    await expect(createInProcessEngine(options)).rejects.toThrow(ValidationError);
  });

  it("have a fingerprint of their own", () => {
    const fingerprints = [undefined, 0].map((minSharedBytes) => {
      const { weights } = openQuantized("tiny-llama", format, minSharedBytes);
      weights.close();
      return weights.fingerprint;
    });
    const { config, weights } = openQuantized("tiny-llama", format === "int8" ? "int4" : "int8");
    weights.close();
    const directory = goldenPath("models/tiny-llama");
    const plain = openEngineWeights(config, { model: { name: "m", directory } }, "native");
    plain.close();
    expect(fingerprints[0]).toBe(fingerprints[1]);
    expect(new Set([fingerprints[0], weights.fingerprint, plain.fingerprint]).size).toBe(3);
  });
});
