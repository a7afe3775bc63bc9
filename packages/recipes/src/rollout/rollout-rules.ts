import type { Clock } from "@tinkex/base";
import type { SamplingParams } from "@tinkex/types";
import type { Transition } from "../datum/trajectory-datums.js";
import type { ConversationTools } from "./conversation.js";
import type { EpisodeSampler } from "./counted-sampler.js";
import type { Episode, Reply } from "./episode.js";
import type { RolloutLimit, RolloutLimits } from "./limits.js";
import type { Tools } from "./tool.js";

/** Treatment of a member that fails: the run fails, the group is rolled out again, or the group goes on with at least 3 of 4 members. */
export type FailurePolicy = "fail" | "retry" | "continue";

/** One answered problem: its turns and its reward. */
export interface Trajectory {
  readonly transitions: readonly Transition[];
  /** One for each turn, those that call tools included. */
  readonly replies: readonly Reply[];
  /** Reward of the whole, what the group adds included. */
  readonly reward: number;
  readonly metrics: Readonly<Record<string, number>>;
  /** The limit that ended the episode, or kept calls of tools from being answered. */
  readonly limit: RolloutLimit | undefined;
}

/** Rules of a rollout. */
export interface RolloutRules<Problem> {
  readonly sampler: EpisodeSampler;
  readonly tools: ConversationTools;
  readonly params: SamplingParams;
  readonly groupSize: number;
  readonly episode: (problem: Problem) => Episode;
  /** True where all members of a group begin with the same prompt. */
  readonly hasSharedPrompt: boolean;
  readonly groupReward: ((problem: Problem, members: readonly Trajectory[]) => GroupRewards) | undefined;
  /** Tools that are run where the model calls them. */
  readonly toolbox: Tools | undefined;
  readonly limits: RolloutLimits;
  readonly onFailure: FailurePolicy;
  readonly timeLimitMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly warn: (message: string) => void;
}

/** Rewards to add, one for each member. */
export type GroupRewards = readonly number[] | Promise<readonly number[]>;
