import { join } from "node:path";
import { listRuns, openMetrics, openRows, openRun, type Run, RunReader } from "@tinkex/runs";
import { call, type PublicCalls } from "../public-call.js";
import { clock, logger } from "../surroundings.js";

const config = () => ({ num_epochs: 1, model_name: "m" });
const rollouts = () => [{ group_idx: 0, traj_idx: 0, pieces: ["a"], tokens: [97], logprobs: [0], mask: [1] }];

/** Functions of `@tinkex/runs`; their files lie in `folder`, each call's in one of its own. */
export function runsCalls(folder: string): PublicCalls {
  let count = 0;
  /** Calls a method of a run that was opened for it. */
  const onRun =
    (method: (run: Run) => (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]) => {
      count += 1;
      const run = await openRun(join(folder, String(count)), { recipe: "sft", config: config() });
      return method(run).apply(run, args);
    };
  return {
    listRuns: call(listRuns, () => [folder, { clock }]),
    openMetrics: call(openMetrics, () => [folder, { config: config(), logger }]),
    openRows: call(openRows, () => [join(folder, "rows.jsonl"), { logger }]),
    openRun: call(openRun, () => [
      folder,
      { recipe: "sft", config: config(), version: "1.0.0", clock, logger },
    ]),
    RunReader: call(
      (directory: string, options: object) => new RunReader(directory, options),
      () => [folder, { logger }],
    ),
    "RunReader.rollouts": call(
      (iteration: number, name: string) => new RunReader(folder).rollouts(iteration, name),
      () => [0, "train"],
    ),
    "RunReader.rolloutTokens": call(
      (iteration: number, name: string) => new RunReader(folder).rolloutTokens(iteration, name),
      () => [0, "train"],
    ),
    "Run.writeMetrics": call(
      onRun((run) => run.writeMetrics),
      () => [0, { loss: 1 }],
    ),
    "Run.writeCheckpoint": call(
      onRun((run) => run.writeCheckpoint),
      () => [{ name: "000001", batch: 1 }],
    ),
    "Run.writeTimingSpans": call(
      onRun((run) => run.writeTimingSpans),
      () => [0, [{ name: "step", duration: 1, wall_start: 0, wall_end: 1 }]],
    ),
    "Run.writeRollouts": call(
      onRun((run) => run.writeRollouts),
      () => [0, rollouts(), "train"],
    ),
    "Run.writeRolloutTokens": call(
      onRun((run) => run.writeRolloutTokens),
      () => [0, rollouts(), "train"],
    ),
    "Run.writeLog": call(
      onRun((run) => run.writeLog),
      () => ["began"],
    ),
  };
}
