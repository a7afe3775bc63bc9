import { type Clock, describeValue, errorMessage, onAbort, ValidationError, waitFor } from "@tinkex/base";
import type { SamplingClient } from "@tinkex/client";
import type { SampledSequence, SamplingParams } from "@tinkex/types";
import type { Transition } from "../datum/trajectory-datums.js";
import { Conversation, type ConversationTools, type Turn } from "./conversation.js";
import type { Episode, Reply, Reward } from "./episode.js";
import { FirstTurns } from "./first-turns.js";

/** Treatment of a member that fails: the run fails, the group is rolled out again, or the group goes on with at least 3 of 4 members. */
export type FailurePolicy = "fail" | "retry" | "continue";

/** Times a group is rolled out again under the policy `retry`. */
const MAX_RETRIES = 3;
/** Share of a group that must be left under the policy `continue`. */
const MIN_SHARE = 0.75;

/** One answered problem: its turns and its reward. */
export interface Trajectory {
  readonly transitions: readonly Transition[];
  readonly replies: readonly Reply[];
  /** Reward of the whole, what the group adds included. */
  readonly reward: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/** Rules of a rollout. */
export interface RolloutRules<Problem> {
  readonly sampler: SamplingClient;
  readonly tools: ConversationTools;
  readonly params: SamplingParams;
  readonly groupSize: number;
  readonly episode: (problem: Problem) => Episode;
  /** True where all members of a group begin with the same prompt. */
  readonly hasSharedPrompt: boolean;
  readonly groupReward: ((problem: Problem, members: readonly Trajectory[]) => GroupRewards) | undefined;
  readonly onFailure: FailurePolicy;
  readonly timeLimitMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly warn: (message: string) => void;
}

/** Rewards to add, one for each member. */
export type GroupRewards = readonly number[] | Promise<readonly number[]>;

/**
 * Rolls out a group: many answers to one problem.
 *
 * @param place - name of the problem in messages, e.g. `problem 3`
 * @param seed - decides the samples
 * @returns the members that succeeded; none where too few did, under the policy `continue`
 * @throws the first failure under the policy `fail`, and the last one under `retry`
 */
export async function runGroup<Problem>(
  problem: Problem,
  place: string,
  seed: number,
  rules: RolloutRules<Problem>,
): Promise<readonly Trajectory[]> {
  const { groupSize, onFailure, warn } = rules;
  for (let attempt = 0; ; attempt += 1) {
    const firstTurns = rules.hasSharedPrompt ? new FirstTurns(rules.sampler, groupSize) : undefined;
    const settled = await Promise.allSettled(
      Array.from({ length: groupSize }, (_, member) =>
        runMember(
          problem,
          `${place}, member ${member}`,
          seed + member + attempt * groupSize,
          rules,
          firstTurns,
        ),
      ),
    );
    rules.signal?.throwIfAborted();
    const members = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const failure = settled.find((result) => result.status === "rejected");
    if (failure === undefined) return withGroupReward(problem, place, members, rules);
    if (onFailure === "continue") {
      warn(errorMessage(failure.reason));
      const isEnough = members.length >= Math.ceil(MIN_SHARE * groupSize);
      return isEnough ? withGroupReward(problem, place, members, rules) : [];
    }
    if (onFailure === "fail" || attempt === MAX_RETRIES) throw failure.reason;
    warn(`${errorMessage(failure.reason)}; the group is rolled out again`);
  }
}

/** Runs one episode to its end, within the time limit, and cleans it up however it ends. */
async function runMember<Problem>(
  problem: Problem,
  place: string,
  seed: number,
  rules: RolloutRules<Problem>,
  firstTurns: FirstTurns | undefined,
): Promise<Trajectory> {
  const { clock, timeLimitMs } = rules;
  const limit = new AbortController();
  const leave = rules.signal && onAbort(rules.signal, (reason) => limit.abort(reason));
  if (rules.signal?.aborted) limit.abort(rules.signal.reason);
  const episode = rules.episode(problem);
  try {
    const limits = { signal: limit.signal, timeoutMs: timeLimitMs };
    return await waitFor(
      playEpisode(episode, seed, limit.signal, rules, firstTurns),
      limits,
      clock,
      `the episode`,
    );
  } catch (cause) {
    limit.abort(cause);
    // Runs its `finally`. One that hangs never ends, and nobody waits for it.
    episode.return(0).catch(() => {});
    throw new ValidationError(`rl: ${place}: ${errorMessage(cause)}`, { cause });
  } finally {
    leave?.();
  }
}

async function playEpisode<Problem>(
  episode: Episode,
  seed: number,
  signal: AbortSignal,
  rules: RolloutRules<Problem>,
  firstTurns: FirstTurns | undefined,
): Promise<Trajectory> {
  const conversation = new Conversation(rules.tools);
  const transitions: Transition[] = [];
  const replies: Reply[] = [];
  let next = await episode.next();
  while (next.done !== true) {
    const turn = conversation.show(next.value);
    const { stop } = turn;
    const params = {
      ...rules.params,
      seed: seed + transitions.length * 7919,
      ...(stop.length > 0 && { stop }),
    };
    const sample =
      transitions.length === 0 && firstTurns !== undefined
        ? await firstTurns.take(turn, params, rules.signal)
        : await sampleTurn(turn, params, signal, rules.sampler);
    const reply = conversation.answer(sample);
    const { tokens, logprobs } = reply;
    transitions.push({ prompt: turn.prompt, tokens, logprobs, sequenceId: sample.sequence_id });
    replies.push(reply);
    next = await episode.next(reply);
  }
  const { reward, metrics = {} } = rewardOf(next.value);
  return { transitions, replies, reward: checkedReward(reward), metrics };
}

async function sampleTurn(
  { prompt }: Turn,
  sampling_params: SamplingParams,
  signal: AbortSignal,
  sampler: SamplingClient,
): Promise<SampledSequence> {
  const { sequences } = await sampler.sample({ prompt, sampling_params }, { signal });
  const [sample] = sequences;
  if (sample === undefined) throw new ValidationError("the service gave no sample");
  return sample;
}

async function withGroupReward<Problem>(
  problem: Problem,
  place: string,
  members: readonly Trajectory[],
  { groupReward, clock, timeLimitMs: timeoutMs, signal }: RolloutRules<Problem>,
): Promise<readonly Trajectory[]> {
  if (groupReward === undefined) return members;
  const computed = Promise.resolve(groupReward(problem, members));
  const added = await waitFor(computed, { signal, timeoutMs }, clock, `rl: ${place}: groupReward`);
  if (!Array.isArray(added) || added.length !== members.length) {
    throw new ValidationError(
      `rl: ${place}: groupReward must give ${members.length} numbers, got ${describeValue(added)}`,
    );
  }
  return members.map((member, index) => ({ ...member, reward: checkedReward(member.reward + added[index]) }));
}

function rewardOf(value: number | Reward): Reward {
  return typeof value === "object" && value !== null ? value : { reward: value };
}

function checkedReward(reward: number): number {
  if (Number.isFinite(reward)) return reward;
  throw new ValidationError(`the reward must be a finite number, got ${describeValue(reward)}`);
}
