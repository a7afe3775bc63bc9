import type { SampleResponse, TopkLogprobs } from "@tinkex/types";
import type { SampleOutcome } from "../engine/engine.js";

/** Fills a cell of a top-k matrix that names no token. */
const EMPTY_LOGPROB = -99_999;

/** The result record of a sample request. */
export function sampleResponse(outcome: SampleOutcome): SampleResponse {
  const { sequences, promptLogprobs, topkPromptLogprobs } = outcome;
  return {
    sequences: sequences.map(({ tokens, logprobs, stopReason }) => ({
      stop_reason: stopReason,
      tokens: Array.from(tokens),
      logprobs: Array.from(logprobs),
    })),
    ...(promptLogprobs === undefined
      ? {}
      : {
          prompt_logprobs: Array.from(promptLogprobs, (logprob) => (Number.isNaN(logprob) ? null : logprob)),
        }),
    ...(topkPromptLogprobs === undefined ? {} : { topk_prompt_logprobs: topkRows(topkPromptLogprobs) }),
    prompt_cache_hit_tokens: 0,
    type: "sample",
  };
}

function topkRows({ k, tokenIds, logprobs }: NonNullable<SampleOutcome["topkPromptLogprobs"]>): TopkLogprobs {
  return Array.from({ length: tokenIds.length / k }, (_, row) => {
    const cells = Array.from({ length: k }, (_unused, column) => {
      const cell = row * k + column;
      return [tokenIds[cell] ?? 0, logprobs[cell] ?? EMPTY_LOGPROB] as const;
    });
    return cells[0]?.[1] === EMPTY_LOGPROB ? null : cells;
  });
}
