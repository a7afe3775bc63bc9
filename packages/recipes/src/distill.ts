import { checkKnownNames, describeValue, ValidationError } from "@tinkex/base";
import type { SamplingClient } from "@tinkex/client";
import { scoreTargets } from "./datum/document-of.js";
import type { SeveralTurns } from "./rl-options.js";
import { distilledExamples } from "./rollout/distilled-examples.js";
import { checkAsking, type Judge, type Prompt, singleTurn } from "./rollout/episode.js";
import { ROLLOUT_OPTIONS } from "./rollout/rollout-options.js";
import { topKExamples } from "./rollout/top-k-examples.js";
import { checkSampler, type SamplerChoice, withSampler } from "./run/open-sampler.js";
import type { RecipeEvent } from "./run/recipe-event.js";
import { checkCount, RECIPE_OPTIONS } from "./run/recipe-options.js";
import { RecipeRun } from "./run/recipe-run.js";
import type { TrainingResult } from "./run/training-result.js";
import type { TrainingTools } from "./run/training-tools.js";
import {
  checkRolloutTraining,
  ROLLOUT_TRAINING_OPTIONS,
  type RolloutTrainingOptions,
  trainOnRollouts,
} from "./train-on-rollouts.js";

/** One answer to each problem, with a reward that is measured and not trained on. */
export interface SingleTaughtTurn<Problem> {
  /** Gives what the student sees: a string is continued as it is, messages are rendered. */
  readonly prompt: (problem: Problem) => Prompt;
  /** Measured as `env/all/reward/total`, and not trained on. @defaultValue 0 */
  readonly reward?: Judge<Problem> | undefined;
  readonly episode?: undefined;
}

/** Options of distillation that are the same for one turn and for several. */
export interface DistillBaseOptions<Problem> extends RolloutTrainingOptions<Problem> {
  /** The model to learn from, of the student's tokenizer: a sampling client, the path of sampler weights, or a base model. */
  readonly teacher: SamplerChoice;
  /** Weight of the teacher's opinion. @defaultValue 1 */
  readonly klCoefficient?: number | undefined;
  /** Above 0, each token also answers for those behind it, each a factor less. @defaultValue 0 */
  readonly klDiscount?: number | undefined;
  /**
   * Learns the teacher's K likeliest tokens at each position of the student's own answers, by `cross_entropy`, in place of its opinion on the tokens
   * that were sampled. The service bounds K, as a rule by 20. @defaultValue the sampled tokens alone
   */
  readonly topK?: number | undefined;
}

/** Options of distillation: `prompt`, or `episode`, whose rewards are measured and not trained on. */
export type DistillOptions<Problem> = DistillBaseOptions<Problem> &
  (SingleTaughtTurn<Problem> | SeveralTurns<Problem>);

const OPTIONS: Readonly<Record<keyof DistillBaseOptions<unknown> | "prompt" | "reward" | "episode", true>> = {
  ...RECIPE_OPTIONS,
  ...ROLLOUT_OPTIONS,
  ...ROLLOUT_TRAINING_OPTIONS,
  teacher: true,
  klCoefficient: true,
  klDiscount: true,
  topK: true,
  prompt: true,
  reward: true,
  episode: true,
};

/**
 * On-policy distillation: the student answers, and each token it samples is rewarded by how likely the teacher finds it. The metric
 * `teacher_kl`, the mean distance to the teacher on these tokens, is to fall. It has started when it returns; await it for the result,
 * iterate it for its events.
 *
 * @throws ValidationError at the call, for options that cannot be trained with; later ones reach whoever awaits or iterates
 *
 * @example
 * await distill({
 *   service, model: "Qwen/Qwen3-8B", teacher: "Qwen/Qwen3-32B", problems: questions, maxTokens: 512,
 *   prompt: (question) => [{ role: "user", content: question }],
 * });
 */
export function distill<Problem>(options: DistillOptions<Problem>): RecipeRun<TrainingResult, RecipeEvent> {
  checkDistillOptions(options);
  const { teacher, service, signal } = options;
  return new RecipeRun({ method: "distill", signal }, (tell) =>
    withSampler(teacher, service, signal, (sampler) => runDistill(options, sampler, tell)),
  );
}

async function runDistill<Problem>(
  options: DistillOptions<Problem>,
  teacher: SamplingClient,
  tell: (event: RecipeEvent) => void,
): Promise<TrainingResult> {
  const { klCoefficient: coefficient = 1, klDiscount: discount = 0, groupSize = 4, topK, signal } = options;
  let hasCompared = false;
  const compareTokenizers = async ({ tokenizer }: TrainingTools): Promise<void> => {
    if (hasCompared) return;
    const own = await teacher.getTokenizer({ signal });
    if (own.vocabularySize !== tokenizer.vocabularySize) {
      throw new ValidationError(
        `distill: teacher must have the student's tokenizer, of ${tokenizer.vocabularySize} tokens, got one of ${own.vocabularySize}`,
      );
    }
    hasCompared = true;
  };
  const none = (): number => 0;
  return trainOnRollouts(
    options,
    {
      method: "distill",
      config: {
        teacher: typeof options.teacher === "string" ? options.teacher : null,
        kl_penalty_coef: coefficient,
        kl_discount_factor: discount,
        ...(topK !== undefined && { topk: topK }),
      },
      lossFn: topK === undefined ? undefined : "cross_entropy",
      groupSize,
      episode: options.episode ?? singleTurn(options.prompt, options.reward ?? none),
      hasSharedPrompt: options.episode === undefined,
      groupReward: undefined,
      examplesOf: async (groups, tools) => {
        await compareTokenizers(tools);
        if (topK !== undefined) return topKExamples(groups, teacher, { coefficient, topK }, signal);
        return distilledExamples(
          groups,
          (datum) => scoreTargets(datum, (document) => teacher.computeLogprobs(document, { signal })),
          { coefficient, discount },
        );
      },
    },
    tell,
  );
}

function checkDistillOptions<Problem>(options: DistillOptions<Problem>): void {
  checkKnownNames<object>(options, OPTIONS, "the options of distill");
  checkAsking({ ...options }, "distill", "reward", false);
  checkRolloutTraining(options, "distill", 1);
  checkSampler(options.teacher, options.service, "distill: teacher");
  const { klCoefficient = 1, klDiscount = 0, topK } = options;
  checkCount(topK, "distill: topK", 1);
  for (const other of ["lossFn", "klDiscount"] as const) {
    if (topK === undefined || options[other] === undefined) continue;
    throw new ValidationError(`distill: give topK, or ${other}, and not both`);
  }
  if (!(Number.isFinite(klCoefficient) && klCoefficient > 0)) {
    throw new ValidationError(`distill: klCoefficient must be above 0, got ${describeValue(klCoefficient)}`);
  }
  if (!(Number.isFinite(klDiscount) && klDiscount >= 0 && klDiscount <= 1)) {
    throw new ValidationError(`distill: klDiscount must be from 0 to 1, got ${describeValue(klDiscount)}`);
  }
}
