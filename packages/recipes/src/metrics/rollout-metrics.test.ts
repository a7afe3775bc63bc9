import { expect, it } from "vitest";
import { rolloutMetrics } from "./rollout-metrics.js";

const turns = [{ observationTokens: 2, actionTokens: 1 }];

it("metrics of no groups, and of groups without a turn, are numbers", () => {
  for (const groups of [[], [{ trajectories: [{ reward: 1, turns: [] }] }]]) {
    const metrics = Object.values(rolloutMetrics(groups));
    expect(metrics.every(Number.isFinite)).toBe(true);
    expect(metrics.length).toBeGreaterThan(10);
  }
});

it("tags are told of where one stands for a part of the groups", () => {
  const group = (...tags: string[]) => ({ tags, trajectories: [{ reward: 1, turns }] });
  const tagsOf = (metrics: Readonly<Record<string, number>>) => [
    ...new Set(Object.keys(metrics).map((name) => name.split("/")[1])),
  ];
  expect(tagsOf(rolloutMetrics([group("a"), group("a")]))).toEqual(["all"]);
  expect(tagsOf(rolloutMetrics([group("a", "b"), group("a")]))).toEqual(["a", "b", "all"]);
});
