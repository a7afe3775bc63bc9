import type { Metrics } from "../run/recipe-event.js";
import type { Trajectory } from "./run-group.js";

/** Means of the metrics that rewards came with, and shares of the reasons at which answers ended. */
export function meanMetrics(trajectories: readonly Trajectory[]): Metrics {
  const sums: Record<string, number> = {};
  const add = (name: string, value: number): void => {
    sums[name] = (sums[name] ?? 0) + value / trajectories.length;
  };
  for (const { metrics, replies } of trajectories) {
    for (const [name, value] of Object.entries(metrics)) add(`env/all/${name}`, value);
    const end = replies.at(-1)?.stopReason;
    if (end !== undefined) add(`stop/${end}`, 1);
  }
  return sums;
}
