import { checkFunction, checkKnownNames } from "@tinkex/base";
import { checkAsking, type Episode, type Judge, type Prompt } from "./rollout/episode.js";
import { ROLLOUT_OPTIONS } from "./rollout/rollout-options.js";
import type { GroupRewards, Trajectory } from "./rollout/rollout-rules.js";
import { RECIPE_OPTIONS } from "./run/recipe-options.js";
import {
  checkRolloutTraining,
  ROLLOUT_TRAINING_OPTIONS,
  type RolloutTrainingOptions,
} from "./train-on-rollouts.js";

/** One answer to each problem. */
export interface SingleTurn<Problem> {
  /** Gives what the model sees: a string is continued as it is, messages are rendered. */
  readonly prompt: (problem: Problem) => Prompt;
  /** The worth of an answer: a finite number. */
  readonly reward: Judge<Problem>;
  readonly episode?: undefined;
}

/** Several turns for each problem. */
export interface SeveralTurns<Problem> {
  readonly episode: (problem: Problem) => Episode;
  readonly prompt?: undefined;
  readonly reward?: undefined;
}

/** Options of reinforcement learning that are the same for one turn and for several. */
export interface RlBaseOptions<Problem> extends RolloutTrainingOptions<Problem> {
  /** Adds to the rewards of a group, by comparing its members: one number for each. */
  readonly groupReward?: ((problem: Problem, members: readonly Trajectory[]) => GroupRewards) | undefined;
}

/** Options of reinforcement learning: `prompt` with `reward`, or `episode`. */
export type RlOptions<Problem> = RlBaseOptions<Problem> & (SingleTurn<Problem> | SeveralTurns<Problem>);

const OPTIONS: Readonly<Record<keyof RlBaseOptions<unknown> | "prompt" | "reward" | "episode", true>> = {
  ...RECIPE_OPTIONS,
  ...ROLLOUT_OPTIONS,
  ...ROLLOUT_TRAINING_OPTIONS,
  prompt: true,
  reward: true,
  episode: true,
  groupReward: true,
};

/** @throws ValidationError for options that cannot be trained with */
export function checkRlOptions<Problem>(options: RlOptions<Problem>): void {
  checkKnownNames<object>(options, OPTIONS, "the options of rl");
  checkAsking({ ...options }, "rl", "reward");
  if (options.groupReward !== undefined) checkFunction(options.groupReward, "rl: groupReward");
  checkRolloutTraining(options, "rl", 2);
}
