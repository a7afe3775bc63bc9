import { afterEach, describe, expect, it } from "vitest";
import type { SampleTask } from "../engine/engine.js";
import { largestDifference } from "../training/testing/differences.js";
import type { Sampler } from "./sampler.js";
import { createTinySampler, readGoldenSampling, sampleTask } from "./testing/tiny-sampler.js";

interface Stopped {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
  readonly stop_reason: string;
}

interface GreedyGolden {
  readonly prompts: readonly (readonly number[])[];
  readonly models: Readonly<
    Record<
      string,
      readonly {
        /** Index into `prompts`. */
        readonly prompt: number;
        readonly tokens: readonly number[];
        readonly logprobs: readonly number[];
        readonly with_stop_token: Stopped & { readonly stop: readonly number[] };
        readonly with_stop_string: (Stopped & { readonly stop: string }) | null;
        readonly max_tokens_5: Omit<Stopped, "logprobs">;
      }[]
    >
  >;
}

type PromptGolden = Readonly<
  Record<
    string,
    readonly {
      readonly prompt: readonly number[];
      readonly prompt_logprobs: readonly (number | null)[];
      readonly k: number;
      readonly wire_token_ids: readonly (readonly number[])[];
      readonly wire_logprobs: readonly (readonly number[])[];
    }[]
  >
>;

// The recordings were written for these tests.
const greedy = readGoldenSampling("greedy.json") as GreedyGolden;
const prompts = readGoldenSampling("prompt-logprobs.json") as PromptGolden;

/** Log-probabilities must agree with float64 to this much. */
const tolerance = 5e-5;
/** Stands where an adapter would. */
const base = undefined;

/** Greedy tokens, their log-probabilities, and every way to stop. */
async function checkGreedy(sampler: Sampler, model: string): Promise<void> {
  const goldens = greedy.models[model] ?? [];
  expect(goldens).toHaveLength(2);
  for (const golden of goldens) {
    const prompt = Int32Array.from(greedy.prompts[golden.prompt] ?? []);
    const check = async (fields: Partial<SampleTask>, want: Partial<Stopped>) => {
      const { sequences } = await sampler.sample(sampleTask({ prompt, ...fields }), base);
      const [got] = sequences;
      expect(Array.from(got?.tokens ?? [])).toEqual(want.tokens);
      expect(got?.stopReason).toBe(want.stop_reason);
      if (want.logprobs === undefined) return;
      expect(largestDifference(got?.logprobs ?? [], want.logprobs)).toBeLessThan(tolerance);
    };
    const { with_stop_token, with_stop_string, max_tokens_5, tokens, logprobs } = golden;
    await check({}, { tokens, logprobs, stop_reason: "length" });
    await check({ stopTokenIds: with_stop_token.stop }, with_stop_token);
    if (with_stop_string) await check({ stopTexts: [with_stop_string.stop] }, with_stop_string);
    await check({ maxTokens: 5 }, max_tokens_5);
  }
}

/** Log-probabilities of prompts, and the likeliest tokens at each place. */
async function checkPrompts(sampler: Sampler, model: string): Promise<void> {
  const goldens = prompts[model] ?? [];
  expect(goldens.length).toBeGreaterThan(0);
  for (const { prompt, prompt_logprobs, k, wire_token_ids, wire_logprobs } of goldens) {
    const ask = sampleTask({ prompt: Int32Array.from(prompt), maxTokens: 1, topkPromptLogprobs: k });
    const { promptLogprobs = new Float32Array(0), topkPromptLogprobs } = await sampler.sample(ask, base);
    expect(promptLogprobs[0]).toBeNaN();
    const want = prompt_logprobs.slice(1).map(Number);
    expect(largestDifference(promptLogprobs.subarray(1), want)).toBeLessThan(tolerance);
    expect(topkPromptLogprobs?.k).toBe(k);
    expect(Array.from(topkPromptLogprobs?.tokenIds ?? [])).toEqual(wire_token_ids.flat());
    expect(largestDifference(topkPromptLogprobs?.logprobs ?? [], wire_logprobs.flat())).toBeLessThan(
      tolerance,
    );
  }
}

const float32Models = ["tiny-llama", "tiny-llama3", "tiny-qwen2", "tiny-qwen3"];
const narrowModels = ["tiny-llama-bf16", "tiny-llama-f16"];

describe("golden sampling", { timeout: 30_000 }, () => {
  let sampler: Sampler | undefined;
  afterEach(() => sampler?.close());

  it.each([...float32Models, ...narrowModels])("%s on the native runtime", async (model) => {
    sampler = await createTinySampler(model);
    await checkGreedy(sampler, model);
    if (float32Models.includes(model)) await checkPrompts(sampler, model);
  });

  it.each(["tiny-llama", "tiny-llama3"])("%s on the wasm runtime", async (model) => {
    sampler = await createTinySampler(model, { runtime: "wasm" });
    await checkGreedy(sampler, model);
    await checkPrompts(sampler, model);
  });
});
