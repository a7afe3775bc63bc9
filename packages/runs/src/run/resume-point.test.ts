import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { openRun } from "./open-run.js";

/** Rows of three batches an epoch. */
const rowsUpTo = (count: number): string =>
  Array.from({ length: count }, (_, step) => `{"step": ${step}, "epoch": ${Math.floor(step / 3)}}\n`).join(
    "",
  );

function folderOf(checkpoint: object, metrics: string): string {
  const directory = temporaryDirectory();
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

// thinking-machines-lab/tinker-cookbook: its checkpoints on the way are named by their step.
it.each([
  ["its name", { name: "000004", epoch: 1, batch: 1 }, 4],
  ["its name, at the beginning of an epoch", { name: "000006", epoch: 2, batch: 0 }, 6],
  ["the number of rows, for the last one", { name: "final", epoch: 3, batch: 0 }, 7],
])(
  "a checkpoint with an epoch beside metrics without one tells its steps by %s",
  async (_, checkpoint, steps) => {
    const rows = Array.from({ length: 7 }, (_, step) => `{"step": ${step}}\n`);
    const directory = folderOf(checkpoint, rows.join(""));
    const { resumePoint } = await open(directory);
    expect(resumePoint?.batch).toBe(steps);
    expect(readFileSync(join(directory, "metrics.jsonl"), "utf8")).toBe(rows.slice(0, steps).join(""));
  },
);

it("a last checkpoint behind fewer steps than its epochs have ends the run where its metrics end", async () => {
  const { resumePoint } = await open(folderOf({ name: "final", epoch: 3, batch: 0 }, rowsUpTo(2)));
  expect(resumePoint).toMatchObject({ batch: 2, isFinished: true });
});

it.each([
  ["no row has an epoch", '{"step": 0}\n{"step": 1}\n{"step": 2}\n{"step": 3}\n{"step": 4}\n'],
  ["the rows end in an earlier epoch", rowsUpTo(2)],
])("a checkpoint without a step in its name is refused, and no row is lost, where %s", async (_, rows) => {
  const directory = folderOf({ epoch: 2, batch: 1 }, rows);
  await expect(open(directory)).rejects.toThrow(
    /batch of checkpoint "x" is counted within epoch 2, and neither its name nor a row of metrics tells where that begins/,
  );
  expect(readFileSync(join(directory, "metrics.jsonl"), "utf8")).toBe(rows);
});

it("a batch within an epoch whose beginning nobody knows is refused, with the remedy", async () => {
  await expect(open(folderOf({ epoch: 1, batch: 1 }, ""))).rejects.toThrow(
    /batch of checkpoint "x" is counted within epoch 1, and neither its name nor a row of metrics tells where that begins; choose another directory/,
  );
});
