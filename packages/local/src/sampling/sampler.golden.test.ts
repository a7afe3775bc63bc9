import { afterEach, describe, expect, it } from "vitest";
import type { SampleTask } from "../engine/engine.js";
import type { Sampler } from "./sampler.js";
import {
  createTinySampler,
  greatestDifference,
  readGoldenSampling,
  sampleTask,
} from "./testing/tiny-sampler.js";

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
const base = { key: "base" };

const cases = [
  { runtime: "native", model: "tiny-llama" },
  { runtime: "native", model: "tiny-llama3" },
  { runtime: "native", model: "tiny-qwen2" },
  { runtime: "native", model: "tiny-qwen3" },
  { runtime: "wasm", model: "tiny-llama" },
  { runtime: "wasm", model: "tiny-llama3" },
] as const;

describe.each(cases)(
  "golden sampling: $model on the $runtime runtime",
  { timeout: 30_000 },
  ({ runtime, model }) => {
    let sampler: Sampler | undefined;
    afterEach(() => sampler?.close());

    it("greedy tokens, log-probabilities and every way to stop", async () => {
      const tiny = await createTinySampler(model, { runtime });
      sampler = tiny;
      const goldens = greedy.models[model] ?? [];
      expect(goldens).toHaveLength(2);
      for (const golden of goldens) {
        const prompt = Int32Array.from(greedy.prompts[golden.prompt] ?? []);
        const check = async (fields: Partial<SampleTask>, want: Partial<Stopped>) => {
          const { sequences } = await tiny.sample(sampleTask({ prompt, ...fields }), base);
          const [got] = sequences;
          expect(Array.from(got?.tokens ?? [])).toEqual(want.tokens);
          expect(got?.stopReason).toBe(want.stop_reason);
          if (want.logprobs === undefined) return;
          expect(greatestDifference(got?.logprobs ?? [], want.logprobs)).toBeLessThan(tolerance);
        };
        const { with_stop_token, with_stop_string, max_tokens_5, tokens, logprobs } = golden;
        await check({}, { tokens, logprobs, stop_reason: "length" });
        await check({ stopTokenIds: with_stop_token.stop }, with_stop_token);
        if (with_stop_string) await check({ stopTexts: [with_stop_string.stop] }, with_stop_string);
        await check({ maxTokens: 5 }, max_tokens_5);
      }
    });

    it("log-probabilities of prompts, and the likeliest tokens at each place", async () => {
      const tiny = await createTinySampler(model, { runtime });
      sampler = tiny;
      const goldens = prompts[model] ?? [];
      expect(goldens.length).toBeGreaterThan(0);
      for (const { prompt, prompt_logprobs, k, wire_token_ids, wire_logprobs } of goldens) {
        const ask = sampleTask({ prompt: Int32Array.from(prompt), maxTokens: 1, topkPromptLogprobs: k });
        const { promptLogprobs = new Float32Array(0), topkPromptLogprobs } = await tiny.sample(ask, base);
        expect(promptLogprobs[0]).toBeNaN();
        const want = prompt_logprobs.slice(1).map(Number);
        expect(greatestDifference(promptLogprobs.subarray(1), want)).toBeLessThan(tolerance);
        expect(topkPromptLogprobs?.k).toBe(k);
        expect(Array.from(topkPromptLogprobs?.tokenIds ?? [])).toEqual(wire_token_ids.flat());
        expect(greatestDifference(topkPromptLogprobs?.logprobs ?? [], wire_logprobs.flat())).toBeLessThan(
          tolerance,
        );
      }
    });
  },
);
