import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { cutLastLine, linesFrom } from "./file-lines.js";

async function fileOf(text: string): Promise<string> {
  const path = join(temporaryDirectory(), "rows.jsonl");
  await writeFile(path, text);
  return path;
}

it("reads a long file a piece at a time: lines of one read, whatever the length of the file", async () => {
  const row = `{"step": 1, "text": "${"x".repeat(90)}"}\n`;
  const path = await fileOf(row.repeat(60_000));
  const file = await open(path);
  let count = 0;
  let maxBytes = 0;
  for await (const lines of linesFrom(file, 0)) {
    count += lines.length;
    maxBytes = Math.max(
      maxBytes,
      lines.reduce((sum, line) => sum + line.length, 0),
    );
  }
  await file.close();
  expect(count).toBe(60_000);
  expect(maxBytes).toBeLessThan(1.1 * 2 ** 20);
});

it("puts a line together that is longer than many reads, and begins at any byte", async () => {
  const long = "é".repeat(2_000_000);
  const file = await open(await fileOf(`ab\n${long}\nend`));
  const read: string[] = [];
  for await (const lines of linesFrom(file, 1)) read.push(...lines.map(String));
  await file.close();
  expect(read.map((line) => line.length)).toEqual([2, long.length + 1, 3]);
  expect(read[1] === `${long}\n`).toBe(true);
});

it.each([
  ["", undefined],
  ["a\n", undefined],
  ["ab", [0, "ab"]],
  ["a\né", [2, "é"]],
  [`a\n${"x".repeat(3_000_000)}`, [2, "x".repeat(3_000_000)]],
  [`${"y\n".repeat(700_000)}z`, [1_400_000, "z"]],
])("finds a last line that has no end, from the end of the file on", async (text, wanted) => {
  const last = await cutLastLine(await fileOf(text));
  expect(last === undefined ? undefined : [last.start, last.bytes.toString()]).toEqual(wanted);
});
