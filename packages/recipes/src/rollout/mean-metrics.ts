import { mean } from "../arithmetic/sums.js";
import type { Metrics } from "../run/recipe-event.js";
import type { Trajectory } from "./rollout-rules.js";

/** An episode that has ended. */
export interface EndedEpisode {
  readonly metrics: Metrics;
  /** The limit that ended it, or the reason of its last answer; undefined where nothing was answered. */
  readonly end: string | undefined;
}

/** The end of a trajectory. */
export function endOf({ limit, replies }: Trajectory): string | undefined {
  return limit ?? replies.at(-1)?.stopReason;
}

/** Means of the metrics that rewards came with, each over those that have it, and shares of the reasons at which episodes ended. */
export function meanMetrics(episodes: readonly EndedEpisode[]): Metrics {
  const values = new Map<string, number[]>();
  const ends = new Map<string, number>();
  for (const { metrics, end } of episodes) {
    for (const [name, value] of Object.entries(metrics)) {
      const own = values.get(name) ?? [];
      own.push(value);
      values.set(name, own);
    }
    if (end !== undefined) ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  const means = [...values].map(([name, own]) => [`env/all/${name}`, mean(own)] as const);
  const shares = [...ends].map(([end, count]) => [`stop/${end}`, count / episodes.length] as const);
  return Object.fromEntries([...means, ...shares]);
}
