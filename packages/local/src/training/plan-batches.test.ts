import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BatchItem, type BatchLimits, planBatches } from "./plan-batches.js";

const item = (length: number, targetsPerToken = 1): BatchItem => ({
  tokens: new Int32Array(length),
  targetsPerToken,
});
const roomy: BatchLimits = { maxTokensPerRun: () => 4096, runOverheadTokens: 48 };

describe("planBatches", () => {
  it("keeps rows of similar length in one run", () => {
    expect(planBatches([item(20), item(24), item(22)], roomy)).toEqual([{ indices: [0, 2, 1], time: 24 }]);
  });

  it("gives a long row a run of its own when padding the others would cost more than a run", () => {
    const plan = planBatches([item(10), item(200), item(11)], roomy);
    expect(plan).toEqual([
      { indices: [0, 2], time: 11 },
      { indices: [1], time: 200 },
    ]);
  });

  it("splits what exceeds the budget", () => {
    const plan = planBatches(
      Array.from({ length: 5 }, () => item(10)),
      { maxTokensPerRun: () => 20, runOverheadTokens: 1 },
    );
    expect(plan.map(({ indices }) => indices.length).sort()).toEqual([1, 2, 2]);
  });

  it("runs a row longer than the budget alone", () => {
    const plan = planBatches([item(5000), item(4999)], roomy);
    expect(plan.map(({ indices }) => indices)).toEqual([[1], [0]]);
  });

  it("never mixes numbers of targets a token", () => {
    expect(planBatches([item(5, 2), item(5, 1), item(5, 2)], roomy).map(({ indices }) => indices)).toEqual([
      [1],
      [0, 2],
    ]);
  });

  it("plans nothing for nothing", () => {
    expect(planBatches([], roomy)).toEqual([]);
  });

  it("places every datum once, within the budget, at the least cost of all splits", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 10, max: 120 }),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 0, max: 3 }),
        (lengths, most, runOverheadTokens, lessByLength) => {
          // As attention does, long rows may leave room for fewer tokens.
          const maxTokensPerRun = (time: number) => most - lessByLength * time;
          const limits = { maxTokensPerRun, runOverheadTokens };
          const plan = planBatches(
            lengths.map((length) => item(length)),
            limits,
          );
          expect(plan.flatMap(({ indices }) => indices).sort((a, b) => a - b)).toEqual(
            lengths.map((_, index) => index),
          );
          for (const { indices, time } of plan) {
            expect(time).toBe(Math.max(...indices.map((index) => lengths[index] ?? 0)));
            expect(indices.length === 1 || indices.length * time <= maxTokensPerRun(time)).toBe(true);
          }
          expect(
            costOf(
              plan.map(({ indices, time }) => indices.length * time),
              limits,
            ),
          ).toBe(leastCost(lengths, limits));
        },
      ),
    );
  });
});

function costOf(paddedTokens: readonly number[], { runOverheadTokens }: BatchLimits): number {
  return paddedTokens.reduce((sum, tokens) => sum + tokens + runOverheadTokens, 0);
}

/** Tries every way to put the rows into runs. */
function leastCost(lengths: readonly number[], limits: BatchLimits): number {
  let least = Number.POSITIVE_INFINITY;
  const place = (index: number, runs: readonly (readonly number[])[]): void => {
    const length = lengths[index];
    if (length === undefined) {
      const padded = runs.map((run) => run.length * Math.max(...run));
      const fits = runs.every(
        (run, at) => run.length === 1 || (padded[at] ?? 0) <= limits.maxTokensPerRun(Math.max(...run)),
      );
      if (fits) least = Math.min(least, costOf(padded, limits));
      return;
    }
    runs.forEach((run, at) => {
      place(index + 1, runs.with(at, [...run, length]));
    });
    place(index + 1, [...runs, [length]]);
  };
  place(0, []);
  return least;
}
