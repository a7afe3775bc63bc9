import type { SampleOutcome, SampleTask, TokenMatrix } from "../engine/engine.js";
import { type RandomStream, randomStream } from "../random/random-stream.js";
import { type Prediction, requireNumbers } from "./logprobs.js";
import { topIds } from "./ranking.js";
import { drawTokens, tokenDistribution } from "./token-distribution.js";

/** Entry of the wire's matrices for no prediction, as in the first row. */
const NO_LOGPROB = -99999;

/** Everything that a request can ask of its prompt. */
export type PromptQuestions = Pick<
  SampleTask,
  | "prompt"
  | "seed"
  | "temperature"
  | "wantsPromptLogprobs"
  | "topkPromptLogprobs"
  | "promptLogprobsLast"
  | "promptTargets"
  | "promptAltTokens"
>;

export type PromptAnswers = Pick<
  SampleOutcome,
  "promptLogprobs" | "topkPromptLogprobs" | "promptTargets" | "promptAltTokens"
>;

/** One question about a prompt: hears of the logits at every position, in order, and answers at the end. */
interface PromptScore {
  /**
   * @param next - place of the token that is predicted, from 1 on
   */
  add(next: number, prediction: Prediction): void;
  readonly answer: PromptAnswers;
}

/** Scores of a prompt's positions, from the logits at every one of them. */
export class PromptScores {
  readonly #length: number;
  readonly #scores: readonly PromptScore[];

  private constructor(length: number, scores: readonly PromptScore[]) {
    this.#length = length;
    this.#scores = scores;
  }

  /** Collects what a request asks for; undefined where that is nothing, and the last logits are enough. */
  static for(task: PromptQuestions, vocabularySize: number): PromptScores | undefined {
    const { prompt, topkPromptLogprobs: topK, promptTargets, promptAltTokens = 0 } = task;
    const first = prompt.length - (task.promptLogprobsLast ?? prompt.length);
    const scores = [
      ...(task.wantsPromptLogprobs || topK > 0 ? [ownTokens(prompt, first)] : []),
      ...(topK > 0 ? [likeliest(prompt.length, first, Math.min(topK, vocabularySize))] : []),
      ...(promptTargets === undefined ? [] : [targets(promptTargets)]),
      ...(promptAltTokens > 0 ? [drawn(task, promptAltTokens)] : []),
    ];
    return scores.length === 0 ? undefined : new PromptScores(prompt.length, scores);
  }

  /**
   * @param position - of the token the logits were computed at; they predict the one after it
   * @throws TinkexError when the logits are not numbers
   */
  add(position: number, prediction: Prediction): void {
    const next = position + 1;
    if (next >= this.#length) return;
    requireNumbers(prediction);
    for (const score of this.#scores) score.add(next, prediction);
  }

  result(): PromptAnswers {
    return Object.assign({}, ...this.#scores.map(({ answer }) => answer));
  }
}

function ownTokens(prompt: Int32Array, first: number): PromptScore {
  const promptLogprobs = new Float32Array(prompt.length).fill(Number.NaN);
  return {
    answer: { promptLogprobs },
    add(next, prediction) {
      if (next >= first) promptLogprobs[next] = logprobOf(prompt[next], prediction);
    },
  };
}

function likeliest(length: number, first: number, k: number): PromptScore {
  const topkPromptLogprobs = emptyMatrix(length, k);
  return {
    answer: { topkPromptLogprobs },
    add(next, prediction) {
      if (next >= first) fillRow(topkPromptLogprobs, next, topIds(prediction.logits, k), prediction);
    },
  };
}

function targets({ ids, targetsPerToken }: NonNullable<SampleTask["promptTargets"]>): PromptScore {
  const promptTargets = new Float32Array(ids.length);
  return {
    answer: { promptTargets },
    add(next, prediction) {
      const start = (next - 1) * targetsPerToken;
      for (let cell = start; cell < start + targetsPerToken; cell += 1) {
        const id = ids[cell] ?? -1;
        if (id >= 0) promptTargets[cell] = logprobOf(id, prediction);
      }
    },
  };
}

/** Draws by temperature alone, without the filters that cut the samples' distribution. */
function drawn({ prompt, seed, temperature }: PromptQuestions, k: number): PromptScore {
  const random: RandomStream = randomStream(seed, "prompt alternatives");
  const promptAltTokens = emptyMatrix(prompt.length - 1, k);
  return {
    answer: { promptAltTokens },
    add(next, prediction) {
      const distribution = tokenDistribution(prediction.logits, { temperature, topK: -1, topP: 1 });
      const uniforms = Array.from({ length: k }, () => (temperature === 0 ? 0 : random()));
      fillRow(promptAltTokens, next - 1, drawTokens(distribution, uniforms), prediction);
    },
  };
}

function emptyMatrix(rows: number, k: number): TokenMatrix {
  return {
    k,
    tokenIds: new Int32Array(rows * k),
    logprobs: new Float32Array(rows * k).fill(NO_LOGPROB),
  };
}

function fillRow(
  { k, tokenIds, logprobs }: TokenMatrix,
  row: number,
  ids: readonly number[],
  prediction: Prediction,
): void {
  ids.forEach((id, column) => {
    tokenIds[row * k + column] = id;
    logprobs[row * k + column] = logprobOf(id, prediction);
  });
}

function logprobOf(id: number | undefined, { logits, normaliser }: Prediction): number {
  return (logits[id ?? -1] ?? Number.NaN) - normaliser;
}
