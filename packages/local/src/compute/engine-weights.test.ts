import {
  chmodSync,
  cpSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
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

const cacheDirectory = temporaryDirectory();

/** Tiny models, whose weights are had here as those of a large one are. */
const modelOf = (name: string) => {
  const directory = goldenPath(`models/${name}`);
  return { config: readModelConfig(directory), options: { model: { name, directory } } };
};
function shareWeights(name: string) {
  const { config, options } = modelOf(name);
  return openEngineWeights(config, { ...options, cacheDirectory }, "native", 0);
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

  it("stay in the folder that is named", () => {
    const weights = shareWeights("tiny-llama");
    expect(folderOf(weights)).toBe(cacheDirectory);
    const files = readdirSync(cacheDirectory);
    weights.close();
    expect(readdirSync(cacheDirectory)).toEqual(files);
  });
});

/** A model whose files may be changed, and what an engine of it says: the same with weights in each graph and shared ones. */
function changeable() {
  const { config, options } = modelOf("tiny-llama");
  const directory = join(temporaryDirectory(), "model");
  cpSync(options.model.directory, directory, { recursive: true });
  const fingerprint = (changed: Partial<typeof config> = {}) => {
    const model = { name: "m", directory };
    const [own, shared] = [undefined, 0].map((minSharedBytes) => {
      const engine = { model, cacheDirectory };
      const weights = openEngineWeights({ ...config, ...changed }, engine, "native", minSharedBytes);
      weights.close();
      return weights.fingerprint;
    });
    expect(shared).toBe(own);
    return own;
  };
  return { path: join(directory, "model.safetensors"), fingerprint };
}

describe("openEngineWeights", () => {
  it("puts the weights of a small model, in WebAssembly those of any, and where no folder is named, into each graph", () => {
    const { config, options } = modelOf("tiny-llama");
    for (const [runtime, minSharedBytes, folder] of [
      ["native", undefined, cacheDirectory],
      ["wasm", 0, cacheDirectory],
      // Nothing is left among the system's temporary files by one that is killed.
      ["native", 0, undefined],
    ] as const) {
      const weights = openEngineWeights(
        config,
        { ...options, cacheDirectory: folder },
        runtime,
        minSharedBytes,
      );
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
      openEngineWeights({ ...large, headSize: 128 }, { ...options, cacheDirectory }, runtime);
    expect(open("wasm")).toThrow(/GiB as float32; WebAssembly computes with at most 2\.00 GiB/);
    // It goes on to the files, which are those of a small one.
    expect(open("native")).toThrow(/has shape \[.*\]; config\.json implies/);
  });

  it("tells other numbers and other configurations from those of an earlier engine, whatever the dates say", () => {
    const { path, fingerprint } = changeable();
    const first = fingerprint();
    expect(fingerprint({ rmsNormEpsilon: 0.5 })).not.toBe(first);
    utimesSync(path, 5, 5);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, bytes.length - 8), { flag: "r+" });
    utimesSync(path, 5, 5);
    const changed = fingerprint();
    expect(changed).not.toBe(first);
    // The last layer's norm is one of the few bytes that no stored file has.
    const header = Number(bytes.readBigUInt64LE(0));
    const { "model.norm.weight": norm } = JSON.parse(bytes.toString("utf8", 8, 8 + header));
    writeFileSync(path, bytes.fill(1, 8 + header + norm.data_offsets[0], 8 + header + norm.data_offsets[1]));
    expect(fingerprint()).not.toBe(changed);
  });

  it.each([
    ["their mode", (path: string) => chmodSync(path, 0o600)],
    ["their links", (path: string) => linkSync(path, `${path}.link`)],
    ["their dates", (path: string) => utimesSync(path, 5, 5)],
    [
      "a copy in their place",
      (path: string) => {
        cpSync(path, `${path}.new`);
        renameSync(`${path}.new`, path);
      },
    ],
  ])("knows the weights of an earlier engine again after a change of %s", (_, change) => {
    const { path, fingerprint } = changeable();
    const first = fingerprint();
    change(path);
    expect(fingerprint()).toBe(first);
  });

  it("refuses rotary tables out of proportion on either runtime", () => {
    const { config, options } = modelOf("tiny-llama");
    for (const runtime of ["native", "wasm"] as const) {
      const open = () => openEngineWeights({ ...config, contextLength: 2 ** 24 }, options, runtime);
      expect(open).toThrow(/rotary tables must be at most/);
    }
  });
});
