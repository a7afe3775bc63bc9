import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadTokenizer } from "@tinkex/tokenizer/node";
import { AbortedError, ClosedError, ValidationError } from "@tinkex/types";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAdapterParameters } from "../adapter/adapter-parameters.js";
import type { SampleTask } from "../engine/engine.js";
import { openModelWeights } from "../model/model-weights.js";
import { readModelConfig } from "../model/read-model-config.js";
import { loadNativeRuntime } from "../runtime/native-runtime.js";
import type { Runtime } from "../runtime/runtime.js";
import { loadWasmRuntime } from "../runtime/wasm-runtime.js";
import { Sampler, type SamplerOptions } from "./sampler.js";

const fixtures = new URL("../../fixtures/numerics/", import.meta.url).pathname;
const readJson = (name: string) => JSON.parse(readFileSync(join(fixtures, name), "utf8"));

interface GoldenGreedy {
  readonly prompt: number;
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly with_stop_token: Stopped & { readonly stop: readonly number[] };
  readonly with_stop_string: (Stopped & { readonly stop: string }) | null;
  readonly max_tokens_5: Omit<Stopped, "logprobs">;
}

interface Stopped {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly stop_reason: string;
}

interface GoldenPromptLogprobs {
  readonly prompt: readonly number[];
  readonly prompt_logprobs: readonly (number | null)[];
  readonly k: number;
  readonly wire_token_ids: readonly (readonly number[])[];
  readonly wire_logprobs: readonly (readonly number[])[];
}

const greedy: {
  readonly prompts: readonly (readonly number[])[];
  readonly models: Readonly<Record<string, readonly GoldenGreedy[]>>;
} = readJson("sampling/greedy.json");
const promptLogprobs: Readonly<Record<string, readonly GoldenPromptLogprobs[]>> = readJson(
  "sampling/prompt-logprobs.json",
);

/** Log-probabilities must agree with float64 to this much. */
const tolerance = 5e-5;

const task = (fields: Partial<SampleTask>): SampleTask => ({
  prompt: Int32Array.from(greedy.prompts[1] ?? []),
  sampleCount: 1,
  maxTokens: 20,
  seed: 1,
  temperature: 0,
  topK: -1,
  topP: 1,
  stopTokenIds: [],
  stopTexts: [],
  promptLogprobs: false,
  topkPromptLogprobs: 0,
  ...fields,
});

const base = { key: "base" };
const samplers: Sampler[] = [];
let runtime: Runtime;

function samplerFor(model: string, options: Partial<SamplerOptions> = {}): Sampler {
  const directory = join(fixtures, "models", model);
  const config = readModelConfig(directory);
  const sampler = new Sampler({
    config,
    weights: openModelWeights(directory, config),
    runtime,
    loadDecoder: async () => {
      const tokenizer = await loadTokenizer(join(fixtures, "models/tiny-llama"));
      return (ids) => tokenizer.decode(ids);
    },
    betweenRuns: () => new Promise((resolve) => setImmediate(resolve)),
    ...options,
  });
  samplers.push(sampler);
  return sampler;
}

beforeAll(async () => {
  runtime = await loadNativeRuntime(2, "test");
});
afterAll(async () => {
  for (const sampler of samplers) await sampler.close();
});

function expectClose(got: ArrayLike<number>, want: readonly number[]): void {
  expect(got).toHaveLength(want.length);
  want.forEach((value, i) => {
    expect(Math.abs((got[i] ?? Number.NaN) - value)).toBeLessThan(tolerance);
  });
}

const runtimes: Record<string, () => Promise<Runtime>> = {
  native: () => loadNativeRuntime(2, "test"),
  wasm: () => loadWasmRuntime(1, "test"),
};
const models = ["tiny-llama", "tiny-llama3", "tiny-qwen2", "tiny-qwen3"];

describe.each(Object.keys(runtimes))("golden sampling on the %s runtime", (name) => {
  it.each(name === "native" ? models : ["tiny-llama", "tiny-llama3"])("%s", async (model) => {
    const load = runtimes[name];
    if (load === undefined) throw new Error(name);
    const sampler = samplerFor(model, { runtime: await load() });
    for (const golden of greedy.models[model] ?? []) {
      const prompt = Int32Array.from(greedy.prompts[golden.prompt] ?? []);
      const sample = async (fields: Partial<SampleTask>) => {
        const { sequences } = await sampler.sample(task({ prompt, ...fields }), base);
        return sequences[0];
      };
      const whole = await sample({});
      expect(whole?.tokens).toEqual(Int32Array.from(golden.tokens));
      expectClose(whole?.logprobs ?? [], golden.logprobs);
      expect(whole?.stopReason).toBe("length");

      const { stop, ...stopped } = golden.with_stop_token;
      const byToken = await sample({ stopTokenIds: stop });
      expect(byToken?.tokens).toEqual(Int32Array.from(stopped.tokens));
      expectClose(byToken?.logprobs ?? [], stopped.logprobs);
      expect(byToken?.stopReason).toBe("stop");

      if (golden.with_stop_string) {
        const byText = await sample({ stopTexts: [golden.with_stop_string.stop] });
        expect(byText?.tokens).toEqual(Int32Array.from(golden.with_stop_string.tokens));
        expectClose(byText?.logprobs ?? [], golden.with_stop_string.logprobs);
        expect(byText?.stopReason).toBe("stop");
      }

      const short = await sample({ maxTokens: 5 });
      expect(short?.tokens).toEqual(Int32Array.from(golden.max_tokens_5.tokens));
      expect(short?.stopReason).toBe("length");
    }
    for (const golden of promptLogprobs[model] ?? []) {
      const outcome = await sampler.sample(
        task({ prompt: Int32Array.from(golden.prompt), maxTokens: 1, topkPromptLogprobs: golden.k }),
        base,
      );
      expect(outcome.promptLogprobs?.[0]).toBeNaN();
      expectClose(outcome.promptLogprobs?.subarray(1) ?? [], golden.prompt_logprobs.slice(1).map(Number));
      expect(outcome.topkPromptLogprobs?.k).toBe(golden.k);
      expect(outcome.topkPromptLogprobs?.tokenIds).toEqual(Int32Array.from(golden.wire_token_ids.flat()));
      expectClose(outcome.topkPromptLogprobs?.logprobs ?? [], golden.wire_logprobs.flat());
    }
  });
});
