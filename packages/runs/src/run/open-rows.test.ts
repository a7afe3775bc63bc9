import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RecordingLogger } from "@tinkex/base/testing";
import { expect, it } from "vitest";
import { temporaryFolder } from "../testing/temporary-folder.js";
import { openRows } from "./open-rows.js";

it("gives the rows that are there, takes a cut last line away with a warning, and appends whole lines in their order", async () => {
  const path = join(temporaryFolder(), "new", "answers.jsonl");
  const first = await openRows(path);
  expect(first.rows).toEqual([]);
  await Promise.all([1, 2, 3].map((n) => first.append({ n })));
  writeFileSync(path, `${readFileSync(path, "utf8")}{"n": 4, "te`);
  const logger = new RecordingLogger();
  const second = await openRows(path, { logger });
  expect(second.rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(logger.lines.join("\n")).toMatch(/the last line was cut off and is left out/);
  await second.append({ n: Number.NaN });
  expect(readFileSync(path, "utf8")).toBe('{"n": 1}\n{"n": 2}\n{"n": 3}\n{"n": NaN}\n');
});

it("refuses a path that is none, and a row that is no object", async () => {
  await expect(openRows("")).rejects.toThrow(/path must not be ""/);
  await expect(openRows(3 as never)).rejects.toThrow(/openRows: path must be a string/);
  await expect(openRows(temporaryFolder())).rejects.toThrow(/openRows: path must be a file, got the folder/);
  const { append } = await openRows(join(temporaryFolder(), "rows.jsonl"));
  await expect(append(3 as never)).rejects.toThrow(/append: row must be/);
});
