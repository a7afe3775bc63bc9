import { ResponseError, UnsupportedByServerError } from "@tinkex/base";
import type { ModelInput, SampledSequence, SampleRequest, SampleResponse } from "@tinkex/types";
import { checkSampleTensors, inAskedCounts, type SampleOutput } from "./sample-output.js";

/**
 * Checks that the answer has what was asked for, and gives it with one score for each token of the prompt: some servers leave out
 * the first, which has nothing before it, and every score would be read as that of its neighbour.
 *
 * @param onAbsent - told of a field that was asked for and is absent
 * @param isScoring - only the scores of the prompt are wanted, so that any number of sequences will do
 * @throws ResponseError for another number of sequences, scores or rows than was asked for, and for a tensor of another dtype;
 *   UnsupportedByServerError for what the server ignores
 */
export function readScores(
  request: SampleRequest,
  answer: SampleResponse,
  onAbsent: (field: string) => void,
  isScoring = false,
): SampleOutput {
  const length = textLength(request.prompt);
  const listed = withoutEmptyLists(answer, length);
  checkIgnored(request, listed);
  checkSampleTensors(listed);
  const response = inAskedCounts(request, listed, length, isScoring);
  const { prompt_logprobs: scores, topk_prompt_logprobs: likeliest } = response;
  if (request.prompt_logprobs === true && scores === undefined) onAbsent("prompt_logprobs");
  if ((request.topk_prompt_logprobs ?? 0) > 0 && likeliest === undefined) onAbsent("topk_prompt_logprobs");
  if (request.target_prompt_logprobs !== undefined && response.target_prompt_logprobs === undefined)
    onAbsent("target_prompt_logprobs");
  const isWithoutTopk = response.sequences.some(({ topk_logprobs }) => topk_logprobs === undefined);
  if ((request.topk_sample_logprobs ?? 0) > 0 && isWithoutTopk) onAbsent("topk_sample_logprobs");
  if (length === undefined) return response;
  const prompt_logprobs = onePerToken("prompt_logprobs", scores, length);
  const topk_prompt_logprobs = onePerToken("topk_prompt_logprobs", likeliest, length);
  if (prompt_logprobs === scores && topk_prompt_logprobs === likeliest) return response;
  return {
    ...response,
    ...(prompt_logprobs === undefined ? {} : { prompt_logprobs }),
    ...(topk_prompt_logprobs === undefined ? {} : { topk_prompt_logprobs }),
  };
}

/**
 * Leaves out lists that are empty although there are tokens: in JSON some servers write them for what they do not compute
 * (NovaSky-AI/SkyRL). In protobuf an empty list is none either.
 */
function withoutEmptyLists(answer: SampleResponse, promptLength: number | undefined): SampleResponse {
  const { sequences, prompt_logprobs, topk_prompt_logprobs, ...others } = answer;
  // A server that leaves out the first score of a prompt gives none for one of a single token.
  const isScored = promptLength === 1 || prompt_logprobs?.length !== 0;
  const isRanked = promptLength === 1 || topk_prompt_logprobs?.length !== 0;
  if (isScored && isRanked && !sequences.some(hasEmptyList)) return answer;
  return {
    ...others,
    sequences: sequences.map((sequence) =>
      hasEmptyList(sequence) ? withoutEmptyScores(sequence) : sequence,
    ),
    ...(isScored && prompt_logprobs !== undefined ? { prompt_logprobs } : {}),
    ...(isRanked && topk_prompt_logprobs !== undefined ? { topk_prompt_logprobs } : {}),
  };
}

function hasEmptyList({ tokens, logprobs, topk_logprobs }: SampledSequence): boolean {
  return tokens.length > 0 && (logprobs?.length === 0 || topk_logprobs?.length === 0);
}

function withoutEmptyScores({ logprobs, topk_logprobs, ...others }: SampledSequence): SampledSequence {
  return {
    ...others,
    ...(logprobs === undefined || logprobs.length === 0 ? {} : { logprobs }),
    ...(topk_logprobs === undefined || topk_logprobs.length === 0 ? {} : { topk_logprobs }),
  };
}

/**
 * Gives a list with one entry for each token of the prompt, the first of them null where the server has left it out.
 *
 * @throws ResponseError for any other length
 */
function onePerToken<Entry>(
  field: string,
  list: readonly (Entry | null)[] | undefined,
  length: number,
): readonly (Entry | null)[] | undefined {
  if (list === undefined || list.length === length) return list;
  if (list.length === length - 1) return [null, ...list];
  throw new ResponseError(
    `the service gave ${list.length} ${field} for a prompt of ${length} tokens; it must give ${length}`,
  );
}

/** Tokens of a prompt; `undefined` for one with images or sound, whose tokens the service counts. */
function textLength({ chunks }: ModelInput): number | undefined {
  let length = 0;
  for (const chunk of chunks) {
    if (!("tokens" in chunk)) return undefined;
    length += chunk.tokens.length;
  }
  return length;
}

/** A server that does not know a field ignores it; what was asked for then is not there. @throws UnsupportedByServerError */
function checkIgnored(request: SampleRequest, response: SampleResponse): void {
  if ((request.prompt_alt_tokens_k ?? 0) > 0 && response.prompt_alt_tokens === undefined) {
    throw new UnsupportedByServerError("prompt_alt_tokens_k was asked for and the server drew no tokens", {
      feature: "prompt_alt_tokens_k",
    });
  }
  const { prompt_logprobs_last_n: lastN } = request;
  const scores = response.prompt_logprobs;
  if (lastN === undefined || scores === undefined) return;
  if (scores.slice(0, Math.max(0, scores.length - lastN)).every((score) => score === null)) return;
  throw new UnsupportedByServerError(
    "prompt_logprobs_last_n was asked for and the server scored the whole prompt",
    {
      feature: "prompt_logprobs_last_n",
    },
  );
}
