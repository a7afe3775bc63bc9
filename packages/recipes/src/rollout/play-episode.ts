import { checkFunction, checkObject, describeValue, ValidationError } from "@tinkex/base";
import type { SampledSequence } from "@tinkex/types";
import type { Transition } from "../datum/trajectory-datums.js";
import { checkedMetrics } from "../metrics/checked-metrics.js";
import { answerCalls, toolMessages } from "./answer-calls.js";
import { Conversation, type Turn } from "./conversation.js";
import type { Episode, Prompt, Reply, Reward } from "./episode.js";
import type { FirstTurns } from "./first-turns.js";
import { type RolloutLimit, reachedLimit } from "./limits.js";
import type { RolloutRules, Trajectory } from "./rollout-rules.js";
import { seedBehind } from "./seeds.js";
import type { ToolResult } from "./tool.js";

/** Distance of the seeds of two turns of an episode. */
const SEEDS_PER_TURN = 7919;

/** Circumstances of one episode. */
export interface EpisodePlace {
  readonly problem: unknown;
  readonly seed: number;
  /** Aborts when the episode is given up. */
  readonly signal: AbortSignal;
  readonly firstTurns: FirstTurns | undefined;
}

/** Record of an episode as it goes on. */
interface EpisodeState extends EpisodePlace {
  readonly conversation: Conversation;
  readonly transitions: Transition[];
  readonly replies: Reply[];
  toolCalls: number;
  sampledTokens: number;
  limit: RolloutLimit | undefined;
}

/**
 * Plays an episode to its end: shows what it yields, has calls of tools answered, and gives it the replies. An episode that asks on after
 * a limit was reached is over: it is cleaned up, and its reward is 0.
 *
 * @throws what the episode throws, and ValidationError for a reward that is no finite number
 */
export async function playEpisode<Problem>(
  episode: Episode,
  place: EpisodePlace,
  rules: RolloutRules<Problem>,
): Promise<Trajectory> {
  checkObject(episode, "the episode", "an async generator");
  checkFunction(episode.next, "the episode's next");
  const state: EpisodeState = {
    ...place,
    conversation: new Conversation(rules.tools),
    transitions: [],
    replies: [],
    toolCalls: 0,
    sampledTokens: 0,
    limit: undefined,
  };
  let next = await episode.next();
  while (next.done !== true) {
    state.limit = limitOf(state, 0, rules);
    if (state.limit !== undefined) {
      await episode.return(0);
      return trajectoryOf(state, 0);
    }
    next = await episode.next(await ask(next.value, state, rules));
  }
  return trajectoryOf(state, next.value);
}

function trajectoryOf({ transitions, replies, limit }: EpisodeState, value: number | Reward): Trajectory {
  const { reward, metrics } = typeof value === "object" && value !== null ? value : { reward: value };
  return {
    transitions,
    replies,
    limit,
    reward: checkedReward(reward),
    metrics: checkedMetrics(metrics, "the reward's metrics"),
  };
}

/** Shows a prompt and gives the reply to it, once it has no calls of tools that are to be answered. */
async function ask<Problem>(
  prompt: Prompt,
  state: EpisodeState,
  rules: RolloutRules<Problem>,
): Promise<Reply> {
  const { conversation, signal, problem } = state;
  const toolResults: ToolResult[] = [];
  let turn = conversation.show(prompt);
  for (;;) {
    const reply = await takeTurn(turn, state, rules);
    const { message } = reply;
    const calls = (message?.tool_calls?.length ?? 0) + (message?.unparsed_tool_calls?.length ?? 0);
    if (rules.toolbox === undefined || message === undefined || calls === 0) return { ...reply, toolResults };
    state.limit = limitOf(state, calls, rules);
    if (state.limit !== undefined) return { ...reply, toolResults, limit: state.limit };
    const results = await answerCalls(message, rules.toolbox, { signal, problem }, rules.clock);
    state.toolCalls += calls;
    toolResults.push(...results);
    turn = conversation.show(toolMessages(results));
  }
}

async function takeTurn<Problem>(
  turn: Turn,
  state: EpisodeState,
  { params, sampler, limits, signal: groupSignal }: RolloutRules<Problem>,
): Promise<Reply> {
  const { transitions, replies, conversation, firstTurns, seed, signal } = state;
  const room = (limits.maxSampledTokens ?? Number.POSITIVE_INFINITY) - state.sampledTokens;
  const asked = {
    ...params,
    max_tokens: Math.min(params.max_tokens ?? Number.POSITIVE_INFINITY, room),
    seed: seedBehind(seed, transitions.length * SEEDS_PER_TURN),
    ...(turn.stop.length > 0 && { stop: turn.stop }),
  };
  const sample =
    transitions.length === 0 && firstTurns !== undefined
      ? await firstTurns.take(turn, asked, groupSignal)
      : firstOf(await sampler.sample({ prompt: turn.prompt, sampling_params: asked }, { signal }));
  const reply = conversation.answer(sample);
  const { tokens, logprobs } = reply;
  state.sampledTokens += tokens.length;
  transitions.push({ prompt: turn.prompt, tokens, logprobs, sequenceId: sample.sequence_id });
  replies.push(reply);
  return reply;
}

function firstOf({ sequences }: { readonly sequences: readonly SampledSequence[] }): SampledSequence {
  const [sample] = sequences;
  if (sample === undefined) throw new ValidationError("the service gave no sample");
  return sample;
}

function limitOf<Problem>(state: EpisodeState, calls: number, { limits }: RolloutRules<Problem>) {
  const { transitions, toolCalls, sampledTokens } = state;
  return reachedLimit({ turns: transitions.length, toolCalls, sampledTokens }, calls, limits);
}

/** Largest reward: advantages are sent in 32 bits, and may be twice as large. */
const MAX_REWARD = 1e38;

/** @throws ValidationError for a reward that is no finite number, or beyond what is sent */
export function checkedReward(reward: unknown): number {
  if (typeof reward !== "number" || !Number.isFinite(reward)) {
    throw new ValidationError(`the reward must be a finite number, got ${describeValue(reward)}`);
  }
  if (Math.abs(reward) <= MAX_REWARD) return reward;
  throw new ValidationError(
    `the reward must be from -${MAX_REWARD} to ${MAX_REWARD}, got ${reward}; scale rewards down`,
  );
}
