import {
  checkFunction,
  checkKnownNames,
  checkNumberList,
  describeValue,
  ValidationError,
} from "@tinkex/base";
import type { Renderer, RendererName } from "@tinkex/renderers";
import type { LossFnType } from "@tinkex/types";
import { checkDataset, type Dataset } from "./data/dataset.js";
import type { Evaluator } from "./loops/evaluators.js";
import type { Episode, Prompt, Reply, Reward } from "./rollout/episode.js";
import type { FailurePolicy, GroupRewards, Trajectory } from "./rollout/run-group.js";
import { checkCount, checkRecipeOptions, RECIPE_OPTIONS, type RecipeOptions } from "./run/recipe-options.js";

/** One answer to each problem. */
export interface SingleTurn<Problem> {
  /** Gives what the model sees: a string is continued as it is, messages are rendered. */
  readonly prompt: (problem: Problem) => Prompt;
  /** The worth of an answer: a finite number. */
  readonly reward: (problem: Problem, reply: Reply) => number | Reward | Promise<number | Reward>;
  readonly episode?: undefined;
}

/** Several turns for each problem. */
export interface SeveralTurns<Problem> {
  readonly episode: (problem: Problem) => Episode;
  readonly prompt?: undefined;
  readonly reward?: undefined;
}

/** Options of reinforcement learning that are the same for one turn and for several. */
export interface RlBaseOptions<Problem> extends RecipeOptions {
  /** Problems to answer. Read once, and kept in memory. */
  readonly problems: Dataset<Problem>;
  /** Adds to the rewards of a group, by comparing its members: one number for each. */
  readonly groupReward?: ((problem: Problem, members: readonly Trajectory[]) => GroupRewards) | undefined;
  /** Answers to each problem. @defaultValue 8 */
  readonly groupSize?: number | undefined;
  /** Problems of a step. @defaultValue 16 */
  readonly groupsPerBatch?: number | undefined;
  /** @defaultValue one pass over the problems */
  readonly steps?: number | undefined;
  /** Most tokens of an answer. */
  readonly maxTokens: number;
  /** @defaultValue 1, as the log-probabilities of the loss suppose */
  readonly temperature?: number | undefined;
  /** Texts that end the continuation of a string; messages end as their renderer says. @defaultValue none */
  readonly stop?: readonly string[] | undefined;
  /** Renderer of messages, or its name. @defaultValue the one that is recommended for the model */
  readonly renderer?: Renderer | RendererName | undefined;
  /** @defaultValue "importance_sampling" */
  readonly lossFn?: LossFnType | undefined;
  /** Treatment of an answer whose reward throws, is no number or does not come. @defaultValue "fail" */
  readonly onFailure?: FailurePolicy | undefined;
  /** Milliseconds for one episode, its reward included. @defaultValue 600,000 */
  readonly timeLimitMs?: number | undefined;
  readonly evaluators?: readonly Evaluator[] | undefined;
  /** Steps between two evaluations, the first before step 0; 0 for none. @defaultValue 20 */
  readonly evaluateEvery?: number | undefined;
  /** Groups of each step whose tokens are written. @defaultValue 4 */
  readonly loggedGroups?: number | undefined;
}

/** Options of reinforcement learning: `prompt` with `reward`, or `episode`. */
export type RlOptions<Problem> = RlBaseOptions<Problem> & (SingleTurn<Problem> | SeveralTurns<Problem>);

const OPTIONS: Readonly<Record<keyof RlBaseOptions<unknown> | "prompt" | "reward" | "episode", true>> = {
  ...RECIPE_OPTIONS,
  problems: true,
  prompt: true,
  reward: true,
  episode: true,
  groupReward: true,
  groupSize: true,
  groupsPerBatch: true,
  steps: true,
  maxTokens: true,
  temperature: true,
  stop: true,
  renderer: true,
  lossFn: true,
  onFailure: true,
  timeLimitMs: true,
  evaluators: true,
  evaluateEvery: true,
  loggedGroups: true,
};

const POLICIES: readonly FailurePolicy[] = ["fail", "retry", "continue"];

/** @throws ValidationError for options that cannot be trained with */
export function checkRlOptions<Problem>(options: RlOptions<Problem>): void {
  checkKnownNames<object>(options, OPTIONS, "the options of rl");
  checkRecipeOptions(options, "rl");
  checkDataset(options.problems, "rl: problems");
  if (options.episode === undefined) {
    checkFunction(options.prompt, "rl: prompt");
    checkFunction(options.reward, "rl: reward");
  } else {
    checkFunction(options.episode, "rl: episode");
    if (options.prompt !== undefined || options.reward !== undefined) {
      throw new ValidationError("rl: give prompt and reward, or episode, not both");
    }
  }
  if (options.groupReward !== undefined) checkFunction(options.groupReward, "rl: groupReward");
  checkCount(options.groupSize, "rl: groupSize", 2);
  checkCount(options.groupsPerBatch, "rl: groupsPerBatch", 1);
  checkCount(options.steps, "rl: steps", 1);
  checkCount(options.maxTokens, "rl: maxTokens", 1);
  checkCount(options.evaluateEvery, "rl: evaluateEvery", 0);
  checkCount(options.loggedGroups, "rl: loggedGroups", 0);
  if (options.stop !== undefined) checkNumberList(options.stop, "rl: stop");
  const { onFailure = "fail", timeLimitMs = 1, temperature = 1 } = options;
  if (!POLICIES.includes(onFailure)) {
    throw new ValidationError(
      `rl: onFailure must be "fail", "retry" or "continue", got ${describeValue(onFailure)}`,
    );
  }
  for (const [name, value] of Object.entries({ timeLimitMs, temperature })) {
    if (Number.isFinite(value) && value > 0) continue;
    throw new ValidationError(`rl: ${name} must be above 0, got ${describeValue(value)}`);
  }
}
