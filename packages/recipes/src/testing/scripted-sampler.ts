import type { SamplingClient } from "@tinkex/client";
import { getRenderer } from "@tinkex/renderers";
import { ModelInput, type SampleResponse } from "@tinkex/types";
import { qwen3Tokenizer } from "./recorded-numbers.js";

/** The renderer in whose tokens scripted answers are written. */
export const scriptTokenizer = qwen3Tokenizer();
export const scriptRenderer = getRenderer("qwen3_instruct", scriptTokenizer);

const END = 151_645;

/** A sampling client whose answers are written down, one for each request, to test what is made of them: no model here writes calls at will. */
export function scriptedSampler(answers: readonly (string | Error)[]): {
  readonly sampler: SamplingClient;
  /** Texts of the prompts so far. */
  readonly prompts: readonly string[];
} {
  const prompts: string[] = [];
  const sample: SamplingClient["sample"] = ({ prompt, sampling_params }) => {
    const answer = answers[prompts.length] ?? new Error("no more answers");
    const ids = "chunks" in Object(prompt) ? ModelInput.toInts(prompt as ModelInput) : []; // as the recipes send it
    prompts.push(scriptTokenizer.decode(ids));
    const response = async (): Promise<SampleResponse> => {
      if (answer instanceof Error) throw answer;
      const all = [...scriptTokenizer.encode(answer, { allowedSpecial: "all" }), END];
      const tokens = all.slice(0, sampling_params?.max_tokens ?? all.length);
      const stop_reason = tokens.length < all.length ? "length" : "stop";
      const sequence = { tokens, logprobs: tokens.map(() => -1), stop_reason } as const;
      return { sequences: [sequence], prompt_cache_hit_tokens: 0 };
    };
    return response() as ReturnType<SamplingClient["sample"]>; // a promise will do where it is awaited
  };
  return { sampler: { sample } as unknown as SamplingClient, prompts }; // recipes sample, and no more
}
