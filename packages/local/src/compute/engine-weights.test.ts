import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { zeroTensors } from "../adapter/adapter-tensors.js";
import type { SampleTask } from "../engine/engine.js";
import { LOSSES } from "../losses/loss-table.js";
import { readModelConfig } from "../model/read-model-config.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { createTinySampler, sampleTask } from "../sampling/testing/tiny-sampler.js";
import { largestDifference, worstRelativeDifference } from "../training/testing/differences.js";
import { readGoldenAdapter, readGoldenTensors } from "../training/testing/golden-adapter.js";
import type { GoldenCase } from "../training/testing/golden-case.js";
import { goldenDatum } from "../training/testing/golden-datum.js";
import { goldenPath, readGolden } from "../training/testing/golden-files.js";
import { createTrainer } from "../training/trainer.js";
import { openEngineWeights } from "./engine-weights.js";

const cacheDirectory = mkdtempSync(join(tmpdir(), "tinkex-engine-weights-"));
afterAll(() => rmSync(cacheDirectory, { recursive: true }));

/** Tiny models, whose weights are had here as those of a large one are. */
const modelOf = (name: string) => {
  const directory = goldenPath(`models/${name}`);
  return { config: readModelConfig(directory), options: { model: { name, directory } } };
};
function shareWeights(name: string, folder: string | undefined = cacheDirectory) {
  const { config, options } = modelOf(name);
  return openEngineWeights(config, { ...options, cacheDirectory: folder }, "native", 0);
}

const folderOf = (weights: ReturnType<typeof shareWeights>): string | undefined =>
  weights.stored?.("model.embed_tokens.weight")?.place.folder;

describe("weights that graphs share", () => {
  // Llama and Qwen 3 are tied, Llama 3 is not; Qwen 2 has biases; two are 16 bits wide on the disk.
  it.each(["tiny-llama", "tiny-llama3", "tiny-qwen2", "tiny-qwen3", "tiny-llama-bf16", "tiny-llama-f16"])(
    "give the very samples of %s that weights in each graph give",
    async (name) => {
      const samples = async (overrides: Parameters<typeof createTinySampler>[1]) => {
        const sampler = await createTinySampler(name, overrides);
        const task: Partial<SampleTask> = { sampleCount: 3, temperature: 1, topkPromptLogprobs: 2 };
        const outcome = await sampler.sample(sampleTask(task), undefined);
        await sampler.close();
        return outcome;
      };
      const weights = shareWeights(name);
      expect(await samples({ weights })).toEqual(await samples({}));
      weights.close();
    },
  );

  it.each(["llama-r8-all", "llama3-r4-all", "qwen3-r4-attn", "qwen2-r8-mlp-unembed"])(
    "give the recorded loss and gradients of %s",
    async (name) => {
      const golden = readGolden<GoldenCase>(`lora/${name}/case.json`);
      const { config } = modelOf(golden.model);
      const weights = shareWeights(golden.model);
      const trainer = createTrainer({ config, weights, runtime: await createRuntime({ threads: 1 }) });
      const parameters = readGoldenAdapter(`lora/${name}/adapter`, config, golden.lora_config);
      const expected = golden.forward_backward.cross_entropy;
      if (expected === undefined) throw new Error("the recording has no cross entropy");
      const gradients = zeroTensors(parameters);
      const loss = LOSSES.cross_entropy;
      const data = (golden.data[expected.data] ?? []).map(goldenDatum);
      const request = { parameters, data, loss, lossConfig: loss.config };
      const result = await trainer.pass({ ...request, gradients });
      expect(result.lossSum).toBeCloseTo(expected.loss_sum, 2);
      result.logprobs.forEach((logprobs, index) => {
        expect(largestDifference(logprobs, expected.logprobs[index] ?? [])).toBeLessThan(5e-5);
      });
      const recorded = readGoldenTensors(`lora/${name}/${expected.gradients}`, parameters);
      expect(worstRelativeDifference(gradients, recorded)).toBeLessThan(5e-5);
      const forward = await trainer.pass(request);
      expect(forward.lossSum).toBeCloseTo(expected.loss_sum, 2);
      await trainer.release();
      weights.close();
    },
  );

  it("lie in a temporary folder that goes with the engine, where none is named", () => {
    const { config, options } = modelOf("tiny-llama");
    const weights = openEngineWeights(config, options, "native", 0);
    const folder = folderOf(weights) ?? "";
    expect(dirname(folder)).toBe(tmpdir());
    expect(readdirSync(folder).filter((name) => name.endsWith(".f32"))).toHaveLength(1);
    weights.close();
    expect(existsSync(folder)).toBe(false);
  });

  it("stay in the folder that is named", () => {
    const weights = shareWeights("tiny-llama");
    expect(folderOf(weights)).toBe(cacheDirectory);
    const files = readdirSync(cacheDirectory);
    weights.close();
    expect(readdirSync(cacheDirectory)).toEqual(files);
  });
});

describe("openEngineWeights", () => {
  it("puts the weights of a small model, and in WebAssembly those of any, into each graph", () => {
    const { config, options } = modelOf("tiny-llama");
    for (const [runtime, minSharedBytes] of [
      ["native", undefined],
      ["wasm", 0],
    ] as const) {
      const weights = openEngineWeights(config, options, runtime, minSharedBytes);
      expect(folderOf(weights)).toBeUndefined();
      weights.close();
    }
  });

  it("has no limit of 2 GiB but in WebAssembly", () => {
    const { config, options } = modelOf("tiny-llama");
    const large = {
      ...config,
      layerCount: 64,
      hiddenSize: 1024,
      intermediateSize: 3072,
      vocabularySize: 151_936,
    };
    const open = (runtime: "native" | "wasm") => () =>
      openEngineWeights({ ...large, headSize: 128 }, options, runtime);
    expect(open("wasm")).toThrow(/GiB as float32; WebAssembly computes with at most 2\.00 GiB/);
    // It goes on to the files, which are those of a small one.
    expect(open("native")).toThrow(/has shape \[.*\]; config\.json implies/);
  });

  it("tells files of weights and configurations from those of an earlier engine, and copies of neither", () => {
    const { config, options } = modelOf("tiny-llama");
    const directory = join(cacheDirectory, "model");
    cpSync(options.model.directory, directory, { recursive: true });
    const path = join(directory, "model.safetensors");
    const fingerprint = (changed: Partial<typeof config> = {}, minSharedBytes?: number) => {
      const model = { name: "m", directory };
      const weights = openEngineWeights({ ...config, ...changed }, { model }, "native", minSharedBytes);
      weights.close();
      return weights.fingerprint;
    };
    const first = fingerprint();
    expect([fingerprint(), fingerprint({}, 0)]).toEqual([first, first]);
    expect(fingerprint({ rmsNormEpsilon: 0.5 })).not.toBe(first);
    cpSync(path, `${path}.new`);
    utimesSync(`${path}.new`, 5, 5);
    renameSync(`${path}.new`, path);
    const replaced = fingerprint();
    expect(replaced).not.toBe(first);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, bytes.length - 8), { flag: "r+" });
    utimesSync(path, 5, 5);
    expect(fingerprint()).not.toBe(replaced);
  });

  it("refuses rotary tables out of proportion on either runtime", () => {
    const { config, options } = modelOf("tiny-llama");
    for (const runtime of ["native", "wasm"] as const) {
      const open = () => openEngineWeights({ ...config, contextLength: 2 ** 24 }, options, runtime);
      expect(open).toThrow(/rotary tables must be at most/);
    }
  });
});
