import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FakeClock } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { listRuns, openRun, RunReader } from "./index.js";

/** Written by the loggers and the store of tinker-cookbook 0.6.1: `python cookbook_runs.py write` of tooling/conformance. */
const RECORDED = fileURLToPath(new URL("../fixtures/cookbook-run", import.meta.url));
/** Written by its supervised loop, ended in its third epoch: `python cookbook_runs.py train` there. Three batches an epoch, a checkpoint behind step 4. */
const LOOP = fileURLToPath(new URL("../fixtures/cookbook-loop", import.meta.url));

it("cookbook 20: a run that the cookbook wrote is read here, with its NaN and its keys of its own", async () => {
  const reader = new RunReader(RECORDED);
  expect(await reader.config()).toMatchObject({ model_name: "Qwen/Qwen3-8B", load_checkpoint_path: null });
  expect(await reader.mark()).toBeUndefined();
  const metrics = await reader.metrics();
  expect(metrics.map(({ step, train_mean_nll }) => [step, train_mean_nll])).toEqual([
    [0, 2],
    [1, 1],
    [2, 2 / 3],
    [3, Number.NaN],
    [undefined, undefined],
  ]);
  expect((await reader.checkpoints()).map(({ name, elapsed_tokens }) => [name, elapsed_tokens])).toEqual([
    ["000002", 128],
    ["000003", 192],
  ]);
  expect(await reader.iterations()).toEqual([
    { iteration: 1, hasTrainRollouts: true, hasTokens: false, evaluations: ["words"] },
  ]);
  expect(await reader.rollouts(1)).toMatchObject([{ schema_version: 1, total_reward: 0.5, split: "train" }]);
  const clock = new FakeClock({ startMs: 10_000_000_000_000 });
  expect(await listRuns(RECORDED, { clock })).toMatchObject([
    { type: "sl", status: "idle", iterationCount: 1 },
  ]);
});

it("cookbook 20: a run that the cookbook wrote goes on here, at its last checkpoint with a state", async () => {
  const directory = join(temporaryDirectory(), "run");
  cpSync(RECORDED, directory, { recursive: true });
  const run = await openRun(directory, { recipe: "sft", config: { num_epochs: 1 } });
  expect(run.resumePoint).toMatchObject({
    batch: 2,
    statePath: "tinker://run/weights/000002",
    isFinished: false,
  });
  await run.writeMetrics(2, { train_mean_nll: 0.5 });
  const rows = await new RunReader(directory).metrics();
  expect(rows.map(({ step }) => step)).toEqual([0, 1, undefined, 2]);
});

it.each([
  ["as its loop writes them", (row: string) => row],
  ["without their epoch", (row: string) => row.replace(/"epoch": [0-9], /, "")],
])(
  "cookbook 20: a run of the cookbook's supervised loop goes on at its step, with rows of metrics %s",
  async (_, change) => {
    const directory = join(temporaryDirectory(), "run");
    cpSync(LOOP, directory, { recursive: true });
    const path = join(directory, "metrics.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").split("\n").map(change).join("\n"));
    const run = await openRun(directory, { recipe: "sft", config: { num_epochs: 3 } });
    expect(run.resumePoint).toMatchObject({
      batch: 4,
      isFinished: false,
      checkpoint: { epoch: 1, batch: 1 },
    });
    const rows = await new RunReader(directory).metrics();
    expect(rows.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
  },
);
