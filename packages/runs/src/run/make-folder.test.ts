import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { openMetrics } from "./open-metrics.js";
import { openRows } from "./open-rows.js";
import { openRun } from "./open-run.js";

const opened: readonly (readonly [name: string, open: (path: string) => Promise<unknown>])[] = [
  ["openRun", (path) => openRun(path, { recipe: "sft", config: {} })],
  ["openMetrics", (path) => openMetrics(path)],
  ["openRows", (path) => openRows(join(path, "rows.jsonl"))],
];

it.each(opened)("%s names a path at which a file stands where a folder is to be", async (name, open) => {
  const file = join(temporaryDirectory(), "notes.txt");
  writeFileSync(file, "mine");
  for (const path of [file, join(file, "below", "it")]) {
    const opening = open(path);
    await expect(opening).rejects.toBeInstanceOf(ValidationError);
    await expect(opening).rejects.toThrow(new RegExp(`^${name}: .*notes\\.txt.* cannot be written \\(`));
  }
});

// Names of more bytes than a file may have stand for folders that may not be written, which the owner of all may.
it.each(opened)("%s names a path that cannot be made", async (name, open) => {
  const long = join(temporaryDirectory(), "a".repeat(300));
  await expect(open(long)).rejects.toBeInstanceOf(ValidationError);
  await expect(open(long)).rejects.toThrow(new RegExp(`^${name}: .* cannot be written \\(ENAMETOOLONG`));
  expect(existsSync(long)).toBe(false);
});
