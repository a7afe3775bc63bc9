import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { openRun } from "./open-run.js";

/** Rows of three batches an epoch. */
const rowsUpTo = (count: number): string =>
  Array.from({ length: count }, (_, step) => `{"step": ${step}, "epoch": ${Math.floor(step / 3)}}\n`).join(
    "",
  );

function folderOf(checkpoint: object, metrics: string): string {
  const directory = temporaryFolder();
  writeFileSync(join(directory, "metrics.jsonl"), metrics);
  const record = { name: "x", state_path: "tinker://a", ...checkpoint };
  writeFileSync(join(directory, "checkpoints.jsonl"), `${JSON.stringify(record)}\n`);
  return directory;
}
const open = (directory: string) => openRun(directory, { recipe: "sft", config: { num_epochs: 3 } });

// thinking-machines-lab/tinker-cookbook: supervised/train.py keeps the epoch, and the batch within it.
it.each([
  ["the first epoch", { epoch: 0, batch: 2 }, 5, 2],
  ["a later epoch", { epoch: 1, batch: 1 }, 6, 4],
  ["the beginning of an epoch of which no row is written yet", { epoch: 2, batch: 0 }, 6, 6],
  ["the end", { name: "final", epoch: 3, batch: 0 }, 9, 9],
  ["a loop without epochs", { batch: 5 }, 7, 5],
  ["our recipes, which count steps too", { epoch: 1, batch: 1, steps: 4 }, 7, 4],
])("a checkpoint of %s says how many steps are in it", async (_, checkpoint, rowCount, steps) => {
  const directory = folderOf(checkpoint, rowsUpTo(rowCount));
  const { resumePoint } = await open(directory);
  expect(resumePoint?.batch).toBe(steps);
  expect(resumePoint?.isFinished).toBe("name" in checkpoint);
  expect(readFileSync(join(directory, "metrics.jsonl"), "utf8")).toBe(rowsUpTo(steps));
});

it("a batch within an epoch whose beginning nobody knows is refused, with the remedy", async () => {
  await expect(open(folderOf({ epoch: 1, batch: 1 }, ""))).rejects.toThrow(
    /batch of checkpoint "x" is counted within epoch 1, and no row of metrics tells where that begins; choose another directory/,
  );
});
