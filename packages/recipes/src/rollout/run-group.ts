import { checkArray, errorMessage, onAbort, ValidationError, waitFor } from "@tinkex/base";
import type { Episode } from "./episode.js";
import { errorAt } from "./error-at.js";
import { FirstTurns } from "./first-turns.js";
import { checkedReward, playEpisode } from "./play-episode.js";
import type { RolloutRules, Trajectory } from "./rollout-rules.js";
import { seedBehind } from "./seeds.js";

/** Times a group is rolled out again under the policy `retry`. */
const MAX_RETRIES = 3;
/** Share of a group that must be left under the policy `continue`. */
const MIN_SHARE = 0.75;

/**
 * Rolls out a group: many answers to one problem.
 *
 * @param place - name of the problem in messages, e.g. `rl: problem 3 of step 0`
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
    try {
      const members = await runMembers(problem, place, seedBehind(seed, attempt * groupSize), rules);
      return await withGroupReward(problem, place, members, rules);
    } catch (error) {
      rules.signal?.throwIfAborted();
      if (onFailure === "fail" || (onFailure === "retry" && attempt === MAX_RETRIES)) throw error;
      const isRetried = onFailure === "retry";
      warn(`${errorMessage(error)}; the group is ${isRetried ? "rolled out again" : "left out"}`);
      if (!isRetried) return [];
    }
  }
}

/** Runs all members at once. Unless those that are left can go on alone, the first failure gives up the others. */
async function runMembers<Problem>(
  problem: Problem,
  place: string,
  seed: number,
  rules: RolloutRules<Problem>,
): Promise<readonly Trajectory[]> {
  const { groupSize, signal } = rules;
  const canGoOn = rules.onFailure === "continue";
  const group = new AbortController();
  if (signal?.aborted) group.abort(signal.reason);
  const leave = signal && onAbort(signal, (reason) => group.abort(reason));
  const failures: unknown[] = [];
  const firstTurns = rules.hasSharedPrompt ? new FirstTurns(rules.sampler, groupSize) : undefined;
  const own = { ...rules, signal: group.signal };
  const members = await Promise.all(
    Array.from({ length: groupSize }, async (_, member) => {
      try {
        return [
          await runMember(problem, `${place}, member ${member}`, seedBehind(seed, member), own, firstTurns),
        ];
      } catch (error) {
        failures.push(error);
        if (!canGoOn) group.abort(error);
        return [];
      }
    }),
  );
  leave?.();
  signal?.throwIfAborted();
  if (failures.length === 0) return members.flat();
  if (!canGoOn) throw failures[0];
  if (groupSize - failures.length < Math.ceil(MIN_SHARE * groupSize)) {
    for (const failure of failures.slice(1)) rules.warn(errorMessage(failure));
    throw failures[0];
  }
  for (const failure of failures) rules.warn(`${errorMessage(failure)}; the group goes on without it`);
  return members.flat();
}

/** Runs one episode to its end, within the time limit, and cleans it up however it ends. */
async function runMember<Problem>(
  problem: Problem,
  place: string,
  seed: number,
  rules: RolloutRules<Problem>,
  firstTurns: FirstTurns | undefined,
): Promise<Trajectory> {
  const { clock, timeLimitMs: timeoutMs, signal } = rules;
  const limit = new AbortController();
  const leave = signal && onAbort(signal, (reason) => limit.abort(reason));
  if (signal?.aborted) limit.abort(signal.reason);
  let episode: Episode | undefined;
  try {
    episode = rules.episode(problem);
    const played = playEpisode(episode, { problem, seed, signal: limit.signal, firstTurns }, rules);
    return await waitFor(played, { signal: limit.signal, timeoutMs }, clock, "the episode");
  } catch (cause) {
    limit.abort(cause);
    cleanUp(episode);
    throw errorAt(place, cause);
  } finally {
    leave?.();
  }
}

/** Runs the `finally` of an episode. One that hangs never ends, and nobody waits for it; what it throws hides no failure. */
function cleanUp(episode: Episode | undefined): void {
  (async () => episode?.return?.(0))().catch(() => {});
}

async function withGroupReward<Problem>(
  problem: Problem,
  place: string,
  members: readonly Trajectory[],
  { groupReward, clock, timeLimitMs: timeoutMs, signal }: RolloutRules<Problem>,
): Promise<readonly Trajectory[]> {
  if (groupReward === undefined) return members;
  try {
    const computed = (async () => groupReward(problem, members))();
    const added = await waitFor(computed, { signal, timeoutMs }, clock, "it");
    checkArray(added, "its result");
    if (added.length !== members.length) {
      throw new ValidationError(`it must give ${members.length} numbers, got ${added.length}`);
    }
    return members.map((member, index) => ({
      ...member,
      reward: checkedReward(member.reward + checkedReward(added[index])),
    }));
  } catch (cause) {
    throw errorAt(`${place}: groupReward`, cause);
  }
}
