import { checkArray, checkObject, checkString } from "@tinkex/base";
import { isConstantGroup } from "../advantage/group-advantages.js";
import { checkNumber } from "../arguments/check-numbers.js";
import { mean, sum } from "../arithmetic/sums.js";

/** One trajectory, counted. */
export interface TrajectoryCounts {
  /** Reward of the whole trajectory. */
  readonly reward: number;
  /** Tokens shown and answered in each turn. */
  readonly turns: readonly { readonly observationTokens: number; readonly actionTokens: number }[];
}

/** The trajectories of one problem. */
export interface GroupCounts {
  readonly trajectories: readonly TrajectoryCounts[];
  /** Names under which the group is counted beside `all`. */
  readonly tags?: readonly string[] | undefined;
}

/** Reward from which a group of equal rewards counts as good. */
const GOOD_REWARD = 0.5;

/**
 * Metrics of rollouts, for all groups, and for each tag where one stands for a part of them: `env/all/reward/total`, `env/all/by_group/frac_mixed`, tokens and turns, by the names of the
 * Python cookbook.
 *
 * @throws ValidationError when it is no array
 */
export function rolloutMetrics(groups: readonly GroupCounts[]): Record<string, number> {
  checkArray(groups, "rolloutMetrics: groups");
  for (const [index, group] of groups.entries()) checkGroup(group, `rolloutMetrics: groups[${index}]`);
  const tags = [...new Set(groups.flatMap(({ tags = [] }) => tags))].sort();
  const tagged = tags.map((tag) => ({ tag, own: groups.filter((group) => group.tags?.includes(tag)) }));
  // A tag that stands for all groups would only say the same again.
  const isTold = tagged.some(({ own }) => own.length < groups.length);
  const parts = isTold ? tagged.map(({ tag, own }) => metricsOf(tag, own)) : [];
  return Object.assign({}, ...parts, metricsOf("all", groups));
}

function metricsOf(tag: string, groups: readonly GroupCounts[]): Record<string, number> {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const turns = trajectories.flatMap((trajectory) => trajectory.turns);
  const rewards = trajectories.map(({ reward }) => reward);
  const average = rewards.length === 0 ? 0 : mean(rewards);
  const actionTokens = sum(turns.map((turn) => turn.actionTokens));
  const observationTokens = sum(turns.map((turn) => turn.observationTokens));
  const constant = groups
    .map((group) => group.trajectories.map(({ reward }) => reward))
    .filter(isConstantGroup);
  const goodCount = constant.filter(([reward = 0]) => reward >= GOOD_REWARD).length;
  const named: Readonly<Record<string, number>> = {
    ac_tokens_per_turn: share(actionTokens, turns.length),
    ob_tokens_per_turn: share(observationTokens, turns.length),
    turns_per_episode: share(turns.length, trajectories.length),
    total_episodes: trajectories.length,
    total_turns: turns.length,
    total_ac_tokens: actionTokens,
    total_ob_tokens: observationTokens,
    "reward/total": average,
    "reward/std": Math.sqrt(share(sum(rewards.map((reward) => (reward - average) ** 2)), rewards.length)),
    "by_group/frac_mixed": share(groups.length - constant.length, groups.length),
    "by_group/frac_all_good": share(goodCount, groups.length),
    "by_group/frac_all_bad": share(constant.length - goodCount, groups.length),
  };
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [`env/${tag}/${name}`, value]));
}

/** Share of a whole; of none it is 0, as the Python cookbook counts it. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function checkGroup(group: GroupCounts, place: string): void {
  checkObject(group, place, "{ trajectories: [{ reward, turns }] }");
  const { tags = [], trajectories } = group;
  checkArray(tags, `${place}.tags`);
  for (const [index, tag] of tags.entries()) checkString(tag, `${place}.tags[${index}]`, "words");
  checkArray(trajectories, `${place}.trajectories`);
  for (const [index, trajectory] of trajectories.entries()) {
    const at = `${place}.trajectories[${index}]`;
    checkObject(trajectory, at, "{ reward, turns }");
    checkNumber(trajectory.reward, `${at}.reward`);
    checkArray(trajectory.turns, `${at}.turns`);
    for (const [turn, counts] of trajectory.turns.entries()) {
      checkObject(counts, `${at}.turns[${turn}]`, "{ observationTokens, actionTokens }");
      checkNumber(counts.observationTokens, `${at}.turns[${turn}].observationTokens`);
      checkNumber(counts.actionTokens, `${at}.turns[${turn}].actionTokens`);
    }
  }
}
