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

/** Means of the metrics that rewards came with, and shares of the reasons at which episodes ended. */
export function meanMetrics(episodes: readonly EndedEpisode[]): Metrics {
  const sums: Record<string, number> = {};
  const add = (name: string, value: number): void => {
    sums[name] = (sums[name] ?? 0) + value / episodes.length;
  };
  for (const { metrics, end } of episodes) {
    for (const [name, value] of Object.entries(metrics)) add(`env/all/${name}`, value);
    if (end !== undefined) add(`stop/${end}`, 1);
  }
  return sums;
}
