import type { EngineDatum } from "../engine/engine.js";

/** Datums that run together, as rows padded to the longest of them. */
export interface PlannedBatch {
  /** Places in the request. */
  readonly indices: readonly number[];
  /** Tokens a row, padding included. */
  readonly time: number;
}

export interface BatchLimits {
  /** Gives the most tokens that a run may hold, padding included, by the length of its rows; a datum longer than that runs alone. */
  maxTokensPerRun(time: number): number;
  /** Cost of starting one more run, in tokens that could have been computed meanwhile. */
  readonly runOverheadTokens: number;
}

/** Sizes that decide which datums can share a run. */
export type BatchItem = Pick<EngineDatum, "tokens" | "targetsPerToken">;

/**
 * Splits datums into runs so that padding plus the overhead of the runs is least. Rows of similar length go together: in
 * an optimal plan each run is a stretch of the datums sorted by length, so a shortest path over the stretches finds it.
 * Datums with different numbers of targets a token never share a run.
 */
export function planBatches(items: readonly BatchItem[], limits: BatchLimits): PlannedBatch[] {
  const sorted = items
    .map(({ tokens, targetsPerToken }, index) => ({ index, time: tokens.length, targetsPerToken }))
    .sort((a, b) => a.targetsPerToken - b.targetsPerToken || a.time - b.time || a.index - b.index);
  // Best plan of the first `n` datums, as its cost and the place where its last run begins.
  const plans = [{ cost: 0, lastStart: 0 }];
  sorted.forEach(({ time, targetsPerToken }, last) => {
    const mostTokens = limits.maxTokensPerRun(time);
    let best = { cost: Number.POSITIVE_INFINITY, lastStart: last };
    for (let start = last; start >= 0; start -= 1) {
      const rows = last - start + 1;
      if (rows > 1 && rows * time > mostTokens) break;
      if (sorted[start]?.targetsPerToken !== targetsPerToken) break;
      const before = plans[start]?.cost ?? 0;
      const cost = before + rows * time + limits.runOverheadTokens;
      if (cost < best.cost) best = { cost, lastStart: start };
    }
    plans.push(best);
  });
  const batches: PlannedBatch[] = [];
  for (let end = sorted.length; end > 0; end = plans[end]?.lastStart ?? 0) {
    const stretch = sorted.slice(plans[end]?.lastStart ?? 0, end);
    batches.push({ indices: stretch.map(({ index }) => index), time: stretch.at(-1)?.time ?? 0 });
  }
  return batches.reverse();
}
