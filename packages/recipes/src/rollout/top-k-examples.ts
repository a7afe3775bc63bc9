import { ValidationError } from "@tinkex/base";
import type { SamplingClient } from "@tinkex/client";
import type { Datum } from "@tinkex/types";
import type { KlOptions } from "../advantage/reverse-kl.js";
import { mean, sum } from "../arithmetic/sums.js";
import { documentOf, scoreTargets } from "../datum/document-of.js";
import { type TopKTokens, topKDatum } from "../datum/top-k-datum.js";
import { distilledExamples } from "./distilled-examples.js";
import type { GroupExamples } from "./group-examples.js";
import type { SampledGroups } from "./rollout-pipeline.js";

/** Opinion of a teacher on the targets of a datum, one entry for each. */
interface TeacherTargets {
  /** Log-probability of the target itself. */
  readonly scores: readonly number[];
  readonly likeliest: readonly TopKTokens[];
}

/**
 * Examples whose targets are a teacher's K likeliest tokens at each sampled position, weighed by their probabilities among each other: the student
 * learns more from each answer than by the opinion on the one token that it sampled.
 *
 * @param options - `coefficient` is the weight of each position
 */
export async function topKExamples(
  groups: SampledGroups["groups"],
  teacher: Pick<SamplingClient, "sample">,
  { topK, coefficient = 1 }: Pick<KlOptions, "coefficient"> & { readonly topK: number },
  signal: AbortSignal | undefined,
): Promise<GroupExamples> {
  const asked: Promise<TeacherTargets>[] = [];
  const score = async (datum: Datum): Promise<readonly number[]> => {
    const asking = teacherTargets(datum, teacher, topK, signal);
    asked.push(asking);
    return (await asking).scores;
  };
  const examples = await distilledExamples(groups, score, { coefficient });
  const targets = await Promise.all(asked);
  const masses: number[] = [];
  const softDatums = examples.data.flat(2).map(({ datum, mask }, index) => {
    const likeliest = targets[index]?.likeliest ?? [];
    for (const [place, tokens] of likeliest.entries())
      if (Number(mask[place]) > 0) masses.push(massOf(tokens));
    return topKDatum(
      datum.model_input,
      likeliest,
      mask.map((weight) => coefficient * weight),
    );
  });
  return {
    data: examples.data,
    softDatums,
    metrics: { ...examples.metrics, ...(masses.length > 0 && { "teacher/top_k_mass": mean(masses) }) },
  };
}

/** Asks a teacher for the targets of a datum: one request gives their scores and the likeliest tokens in their places. */
async function teacherTargets(
  datum: Datum,
  teacher: Pick<SamplingClient, "sample">,
  topK: number,
  signal: AbortSignal | undefined,
): Promise<TeacherTargets> {
  const params = { num_samples: 1, prompt_logprobs: true, topk_prompt_logprobs: topK } as const;
  const response = await teacher.sample(
    { ...params, prompt: documentOf(datum), sampling_params: { max_tokens: 1 } },
    { signal },
  );
  const scores = await scoreTargets(datum, async () => response.prompt_logprobs ?? []);
  // The first token of a text has none.
  const rows = response.topk_prompt_logprobs ?? [];
  const likeliest = scores.map((_, place) => {
    const tokens = rows[place + 1];
    if (tokens !== null && tokens !== undefined && tokens.length > 0) return padded(tokens, topK);
    throw new ValidationError(
      `distill: the teacher gave no likeliest tokens for token ${place + 1} of a text that it was to score`,
    );
  });
  return { scores, likeliest };
}

/** Fills a row up to its length with a token of probability 0: all rows of a tensor are of one length. */
function padded(tokens: TopKTokens, topK: number): TopKTokens {
  const [first] = tokens[0] ?? [0];
  const missing = Math.max(0, topK - tokens.length);
  const none = [first, Number.NEGATIVE_INFINITY] as const;
  return [...tokens.slice(0, topK), ...Array.from({ length: missing }, () => none)];
}

/** Probability that the teacher gives these tokens together. */
function massOf(tokens: TopKTokens): number {
  return sum(tokens.map(([, logprob]) => Math.exp(logprob)));
}
