import { join } from "node:path";
import { listRuns, openRun, RunReader } from "@tinkex/runs";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { runPython } from "./run-python.js";

const ROLLOUT = {
  schema_version: 1,
  split: "train",
  iteration: 0,
  group_idx: 0,
  traj_idx: 0,
  tags: ["words"],
  sampling_client_step: 0,
  total_reward: 0.5,
  final_reward: 0,
  trajectory_metrics: {},
  steps: [{ step_idx: 0, ob_len: 3, ac_len: 2, reward: 0.5, episode_done: true, metrics: {}, logs: {} }],
  final_ob_len: 0,
} as const;

/** Writes a run of each kind, as the recipes do. */
async function writeRuns(folder: string): Promise<void> {
  const kinds = { sft: { num_epochs: 1 }, rl: { loss_fn: "importance_sampling" }, dpo: { dpo_beta: 0.1 } };
  for (const [recipe, config] of Object.entries(kinds)) {
    const run = await openRun(join(folder, recipe), { recipe, config: { ...config, learning_rate: 1e-4 } });
    await run.writeMetrics(0, { train_mean_nll: Number.NaN, text: "\u2028é" });
    await run.writeMetrics(1, { train_mean_nll: 1e-7 });
    await run.writeTimingSpans(0, [{ name: "step", duration: 1.5, wall_start: 10, wall_end: 11.5 }]);
    if (recipe === "rl") {
      await run.writeRollouts(0, [ROLLOUT]);
      await run.writeRollouts(0, [{ ...ROLLOUT, split: "eval/words" }], "eval_words");
      await run.writeRolloutTokens(0, [
        { group_idx: 0, traj_idx: 0, pieces: ["a"], tokens: [97], logprobs: [0], advantages: [0], mask: [0] },
      ]);
    }
    await run.writeCheckpoint({ name: "000001", batch: 1, epoch: 0, state_path: "tinker://a", mine: "kept" });
    if (recipe === "sft") {
      await run.writeCheckpoint({ name: "final", batch: 2, epoch: 1, final: true, state_path: "tinker://b" });
    }
  }
}

it("cookbook 20: the cookbook's registry and store read in our runs what we wrote", {
  timeout: 600_000,
}, async (context) => {
  const folder = temporaryDirectory();
  await writeRuns(folder);
  const read = await runPython("cookbook_runs.py", ["tinker_cookbook"], ["read", folder], process.env);
  if ("missing" in read) {
    console.warn(`skipped: the cookbook's reader of runs: ${read.missing}`);
    context.skip(read.missing);
    return;
  }
  // Python writes NaN bare.
  const theirs = JSON.parse((read.lines[0] ?? "").replaceAll(": NaN", ': "NaN"'));
  const ours = await listRuns(folder);
  expect(theirs).toHaveLength(3);
  for (const [index, info] of ours.entries()) {
    const reader = new RunReader(info.directory);
    const checkpoints = await reader.checkpoints();
    const iterations = await reader.iterations();
    expect(theirs[index]).toEqual({
      info: {
        run_id: info.runId,
        prefix: info.runId,
        has_config: true,
        has_metrics: true,
        has_checkpoints: true,
        has_timing: true,
        iteration_count: info.iterationCount,
        status: info.status,
        training_type: info.type,
      },
      config: await reader.config(),
      metrics: (await reader.metrics()).map((row) =>
        Number.isNaN(row.train_mean_nll) ? { ...row, train_mean_nll: "NaN" } : row,
      ),
      checkpoints,
      last: checkpoints.at(-1),
      timing: [{ step: 0, spans: [{ name: "step", duration: 1.5, wall_start: 10, wall_end: 11.5 }] }],
      iterations: iterations.map(({ iteration, hasTrainRollouts, evaluations }) => ({
        iteration,
        has_train_rollouts: hasTrainRollouts,
        has_train_logtree: false,
        eval_labels: evaluations,
      })),
      rollouts: await Promise.all(
        iterations.map(async ({ iteration }) => ({
          train: await reader.rollouts(iteration),
          eval_words: await reader.rollouts(iteration, "eval_words"),
        })),
      ),
    });
  }
  expect(ours.map(({ runId, type }) => [runId, type])).toEqual([
    ["dpo", "dpo"],
    ["rl", "rl"],
    ["sft", "sl"],
  ]);
});
