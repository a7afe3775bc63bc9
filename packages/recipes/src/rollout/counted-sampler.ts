import type { CallOptions, SampleParams, SamplingClient } from "@tinkex/client";
import type { ModelInput } from "@tinkex/types";
import type { TokenCounts } from "../metrics/token-usage.js";
import { promptLength } from "./rollout-records.js";

/** The part of a sampling client by which episodes are answered. */
export interface EpisodeSampler {
  sample(
    params: SampleParams & { readonly prompt: ModelInput },
    options?: CallOptions,
  ): ReturnType<SamplingClient["sample"]>;
}

/**
 * Samples through a client and tells of the tokens of each answer. The prompt of a request counts once, however many samples it draws; one that
 * fails counts nothing.
 */
export function countedSampler(client: EpisodeSampler, count: (tokens: TokenCounts) => void): EpisodeSampler {
  return {
    sample: (params, options) => {
      const answer = client.sample(params, options);
      answer.then(
        ({ sequences, prompt_cache_hit_tokens: cached }) =>
          count({
            sampled: sequences.reduce((sum, { tokens }) => sum + tokens.length, 0),
            prefill_cached: cached,
            prefill_uncached: Math.max(0, promptLength(params.prompt) - cached),
          }),
        () => {},
      );
      return answer;
    },
  };
}
