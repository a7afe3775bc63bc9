import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FakeClock } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { openRun } from "../run/open-run.js";
import type { RolloutSummary, RolloutTokens } from "../run/records.js";
import { listRuns } from "./list-runs.js";
import { RunReader } from "./run-reader.js";

const rollout: RolloutSummary = {
  schema_version: 1,
  split: "train",
  iteration: 0,
  group_idx: 0,
  traj_idx: 1,
  tags: ["words"],
  sampling_client_step: 0,
  total_reward: 0.5,
  final_reward: 0,
  trajectory_metrics: {},
  steps: [{ step_idx: 0, ob_len: 3, ac_len: 2, reward: 0.5, episode_done: true, metrics: {}, logs: {} }],
  final_ob_len: 0,
};
const tokens: RolloutTokens = {
  group_idx: 0,
  traj_idx: 1,
  pieces: ["a", "b"],
  tokens: [97, 98],
  logprobs: [0, -0.5],
  advantages: [0, 0.25],
  mask: [0, 1],
};

it("reads a run while it is written: metrics that are new, checkpoints, iterations and their rollouts", async () => {
  const directory = temporaryDirectory();
  const reader = new RunReader(directory);
  expect(await reader.metrics()).toEqual([]);
  expect(await reader.config()).toBeUndefined();
  const run = await openRun(directory, { recipe: "rl", config: { loss_fn: "importance_sampling" } });
  await run.writeMetrics(0, { "env/all/reward/total": 0.5 });
  expect((await reader.newMetrics()).rows).toEqual([{ step: 0, "env/all/reward/total": 0.5 }]);
  await run.writeMetrics(1, { "env/all/reward/total": 0.6 });
  expect((await reader.newMetrics()).rows).toHaveLength(1);
  expect(await reader.metrics()).toHaveLength(2);

  await run.writeRollouts(1, [rollout]);
  await run.writeRollouts(0, [rollout, rollout]);
  await run.writeRollouts(0, [{ ...rollout, split: "eval/words" }], "eval_words");
  await run.writeRolloutTokens(0, [tokens]);
  expect(await reader.iterations()).toEqual([
    { iteration: 0, hasTrainRollouts: true, hasTokens: true, evaluations: ["words"] },
    { iteration: 1, hasTrainRollouts: true, hasTokens: false, evaluations: [] },
  ]);
  expect(await reader.rollouts(0)).toEqual([rollout, rollout]);
  expect((await reader.rollouts(0, "eval_words"))[0]?.split).toBe("eval/words");
  expect(await reader.rolloutTokens(0)).toEqual([tokens]);
  expect(await reader.rollouts(9)).toEqual([]);

  await run.writeTimingSpans(0, [{ name: "step", duration: 1.5, wall_start: 10, wall_end: 11.5 }]);
  await run.writeLog("began\nwith two lines");
  expect(JSON.parse(readFileSync(join(directory, "timing_spans.jsonl"), "utf8"))).toMatchObject({ step: 0 });
  expect(readFileSync(join(directory, "logs.log"), "utf8")).toMatch(/^\S+Z began\n {2}with two lines\n$/);
});

it("finds runs by the cookbook's rules, with their kind and whether they still go on", async () => {
  const folder = temporaryDirectory();
  const nowMs = Date.UTC(2026, 0, 2);
  const kinds = [
    ["a-sl", { num_epochs: 1 }],
    ["b-rl", { loss_fn: "ppo" }],
    ["c-dpo", { dpo_beta: 0.1, num_epochs: 1 }],
    ["d-none", {}],
  ] as const;
  for (const [name, config] of kinds) {
    const run = await openRun(join(folder, name), { recipe: "x", config });
    if (name === "d-none") continue;
    await run.writeMetrics(0, {});
    const ageS = name === "a-sl" ? 119 : 121;
    const atS = nowMs / 1000 - ageS;
    utimesSync(join(folder, name, "metrics.jsonl"), atS, atS);
    if (name === "b-rl") await run.writeCheckpoint({ name: "final", batch: 1, final: true });
  }
  mkdirSync(join(folder, "no-run"));
  const clock = new FakeClock({ startMs: nowMs });
  const found = await listRuns(folder, { clock });
  expect(found.map(({ runId, status, type }) => [runId, status, type])).toEqual([
    ["a-sl", "running", "sl"],
    ["b-rl", "completed", "rl"],
    ["c-dpo", "idle", "dpo"],
    ["d-none", "idle", undefined],
  ]);
  expect(await listRuns(join(folder, "b-rl"), { clock })).toMatchObject([
    { runId: "root", status: "completed" },
  ]);
  expect(await listRuns(join(folder, "nowhere"))).toEqual([]);
});

it("lists a run whose checkpoints or configuration cannot be read, says so, and lists the others", async () => {
  const folder = temporaryDirectory();
  for (const name of ["a", "b", "c"]) {
    const run = await openRun(join(folder, name), { recipe: "sft", config: { num_epochs: 1 } });
    await run.writeMetrics(0, { loss: 1 });
  }
  mkdirSync(join(folder, "a", "checkpoints.jsonl"));
  writeFileSync(join(folder, "b", "config.json"), "[1, 2");
  const found = await listRuns(folder);
  expect(found.map(({ runId, fault }) => [runId, fault])).toEqual([
    ["a", expect.stringContaining(`${join(folder, "a", "checkpoints.jsonl")}: `)],
    ["b", expect.stringContaining(`${join(folder, "b", "config.json")}: `)],
    ["c", undefined],
  ]);
});
