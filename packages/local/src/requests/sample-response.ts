import type { SampleResponse, TensorData, TopkLogprobs } from "@tinkex/types";
import type { SampleOutcome, TokenMatrix } from "../engine/engine.js";

/** Fills a cell of a top-k matrix that names no token. */
const EMPTY_LOGPROB = -99_999;

/**
 * The result record of a sample request.
 *
 * @param targets - the request's tensor of tokens to score, whose shape and layout the scores have
 */
export function sampleResponse(outcome: SampleOutcome, targets: TensorData | undefined): SampleResponse {
  const { sequences, promptLogprobs, topkPromptLogprobs, promptTargets, promptAltTokens } = outcome;
  return {
    sequences: sequences.map(({ tokens, logprobs, stopReason, topk }) => ({
      stop_reason: stopReason,
      tokens: Array.from(tokens),
      logprobs: Array.from(logprobs),
      ...(topk && { topk_logprobs: topkRows(topk) }),
    })),
    ...(promptLogprobs === undefined
      ? {}
      : {
          prompt_logprobs: Array.from(promptLogprobs, (logprob) => (Number.isNaN(logprob) ? null : logprob)),
        }),
    ...(topkPromptLogprobs === undefined ? {} : { topk_prompt_logprobs: topkRows(topkPromptLogprobs) }),
    ...(promptTargets && targets && { target_prompt_logprobs: targetScores(promptTargets, targets) }),
    ...(promptAltTokens && { prompt_alt_tokens: altTokens(promptAltTokens) }),
    prompt_cache_hit_tokens: 0,
    type: "sample",
  };
}

/** Puts scores of all cells into the layout of the request's tensor: of a sparse one those of the cells that it lists. */
function targetScores(scores: Float32Array, targets: TensorData): TensorData {
  const { shape = [], sparse_crow_indices: crow, sparse_col_indices: columns } = targets;
  if (crow === undefined || columns === undefined) return { data: scores, dtype: "float32", shape };
  const [rows = 0, width = 0] = shape;
  const listed = new Float32Array(columns.length);
  for (let row = 0; row < rows; row += 1) {
    for (let entry = crow[row] ?? 0; entry < (crow[row + 1] ?? 0); entry += 1) {
      listed[entry] = scores[row * width + (columns[entry] ?? 0)] ?? 0;
    }
  }
  const layout = { sparse_crow_indices: crow, sparse_col_indices: columns };
  return { data: listed, dtype: "float32", shape, ...layout };
}

function altTokens({ k, tokenIds, logprobs }: TokenMatrix): NonNullable<SampleResponse["prompt_alt_tokens"]> {
  const shape = [tokenIds.length / k, k];
  return {
    tokens: { data: tokenIds, dtype: "int64", shape },
    logprobs: { data: logprobs, dtype: "float32", shape },
  };
}

function topkRows({ k, tokenIds, logprobs }: TokenMatrix): TopkLogprobs {
  return Array.from({ length: tokenIds.length / k }, (_, row) => {
    const cells = Array.from({ length: k }, (_unused, column) => {
      const cell = row * k + column;
      return [tokenIds[cell] ?? 0, logprobs[cell] ?? EMPTY_LOGPROB] as const;
    });
    return cells[0]?.[1] === EMPTY_LOGPROB ? null : cells;
  });
}
