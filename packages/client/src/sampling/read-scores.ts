import { ResponseError, UnsupportedByServerError } from "@tinkex/base";
import type { ModelInput, SampleRequest, SampleResponse } from "@tinkex/types";
import { checkSampleTensors, type SampleOutput } from "./sample-output.js";

/**
 * Checks that the answer has what was asked for, and gives it with one score for each token of the prompt: some servers leave out
 * the first, which has nothing before it, and every score would be read as that of its neighbour.
 *
 * @param onAbsent - told of a field that was asked for and is absent
 * @throws ResponseError for a number of scores that fits no prompt, and for a tensor of another dtype; UnsupportedByServerError for what the server ignores
 */
export function readScores(
  request: SampleRequest,
  response: SampleResponse,
  onAbsent: (field: string) => void,
): SampleOutput {
  checkIgnored(request, response);
  checkSampleTensors(response);
  const { prompt_logprobs: scores, topk_prompt_logprobs: likeliest } = response;
  if (request.prompt_logprobs === true && scores === undefined) onAbsent("prompt_logprobs");
  if ((request.topk_prompt_logprobs ?? 0) > 0 && likeliest === undefined) onAbsent("topk_prompt_logprobs");
  if (request.target_prompt_logprobs !== undefined && response.target_prompt_logprobs === undefined)
    onAbsent("target_prompt_logprobs");
  const isWithoutTopk = response.sequences.some(({ topk_logprobs }) => topk_logprobs === undefined);
  if ((request.topk_sample_logprobs ?? 0) > 0 && isWithoutTopk) onAbsent("topk_sample_logprobs");
  const length = textLength(request.prompt);
  if (scores === undefined || length === undefined || scores.length === length) return response;
  if (scores.length !== length - 1) {
    throw new ResponseError(
      `the service gave ${scores.length} prompt_logprobs for a prompt of ${length} tokens; it must give ${length}`,
    );
  }
  return { ...response, prompt_logprobs: [null, ...scores] };
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
