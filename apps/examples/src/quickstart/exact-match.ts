import type { Tokenizer } from "@tinkex/base";
import { ModelInput, type SampleRequest, type SampleResponse } from "@tinkex/types";
import type { WordPair } from "./parse-word-pairs.js";
import { endOfAnswer } from "./training-datum.js";

/** Longer than any right answer of the data, in tokens. */
const MAX_TOKENS = 24;

/** Source of answers: a sampling client, or a model in the memory of the program. */
interface Sampler {
  sample(
    request: Pick<SampleRequest, "prompt" | "num_samples" | "sampling_params">,
    options: { readonly signal?: AbortSignal },
  ): PromiseLike<Pick<SampleResponse, "sequences">>;
}

/** Asks for every pair's answer at once; the service batches them. Greedy, so that the same weights answer the same. */
export async function answerPairs(
  sampler: Sampler,
  tokenizer: Tokenizer,
  pairs: readonly WordPair[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const requests = pairs.map(({ prompt }) =>
    sampler.sample(
      {
        prompt: ModelInput.fromInts(tokenizer.encode(prompt)),
        num_samples: 1,
        sampling_params: { max_tokens: MAX_TOKENS, temperature: 0, stop: [endOfAnswer(tokenizer)] },
      },
      signal === undefined ? {} : { signal },
    ),
  );
  const responses = await Promise.all(requests);
  return responses.map(({ sequences }) =>
    tokenizer.decode(sequences[0]?.tokens ?? [], { skipSpecialTokens: true }),
  );
}

/** Share of answers that are right to the letter, in percent. */
export function exactMatchPercent(pairs: readonly WordPair[], answers: readonly string[]): number {
  const right = pairs.filter((pair, index) => isRight(pair, answers[index]));
  return (100 * right.length) / pairs.length;
}

export function isRight({ completion }: WordPair, answer: string | undefined): boolean {
  return answer?.trim() === completion.trim();
}
