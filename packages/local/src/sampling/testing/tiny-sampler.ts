import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadTokenizer } from "@tinkex/tokenizer/node";
import type { SampleTask } from "../../engine/engine.js";
import { openModelWeights } from "../../model/model-weights.js";
import { readModelConfig } from "../../model/read-model-config.js";
import { createRuntime } from "../../runtime/create-runtime.js";
import { Sampler, type SamplerOptions } from "../sampler.js";

const fixtures = new URL("../../../fixtures/numerics/", import.meta.url).pathname;

/** A recorded file about sampling. */
export function readGoldenSampling(name: string): unknown {
  return JSON.parse(readFileSync(join(fixtures, "sampling", name), "utf8"));
}

export function tinyModelConfig(model: string) {
  return readModelConfig(join(fixtures, "models", model));
}

/** A sampler of one of the golden models, on the native runtime unless told otherwise. The caller closes it. */
export async function createTinySampler(
  model: string,
  {
    runtime = "native",
    ...options
  }: Partial<Omit<SamplerOptions, "runtime">> & { runtime?: "native" | "wasm" } = {},
): Promise<Sampler> {
  const directory = join(fixtures, "models", model);
  const config = readModelConfig(directory);
  return new Sampler({
    config,
    weights: openModelWeights(directory, config),
    runtime: await createRuntime({ runtime, threads: 2 }),
    loadDecoder: async () => {
      const tokenizer = await loadTokenizer(join(fixtures, "models/tiny-llama"));
      return (ids) => tokenizer.decode(ids);
    },
    betweenRuns: () => new Promise((resolve) => setImmediate(resolve)),
    ...options,
  });
}

/** Greedy, twenty tokens, no stop: what a test does not change. */
export function sampleTask(fields: Partial<SampleTask>): SampleTask {
  return {
    prompt: Int32Array.of(1, 282, 270, 206, 325, 273),
    sampleCount: 1,
    maxTokens: 20,
    seed: 1,
    temperature: 0,
    topK: -1,
    topP: 1,
    stopTokenIds: [],
    stopTexts: [],
    wantsPromptLogprobs: false,
    topkPromptLogprobs: 0,
    ...fields,
  };
}
