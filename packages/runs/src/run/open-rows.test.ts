import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { RecordingLogger } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { openRows } from "./open-rows.js";

it("gives the rows that are there, takes a cut last line away with a warning, and appends whole lines in their order", async () => {
  const path = join(temporaryDirectory(), "new", "answers.jsonl");
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
  await expect(openRows(temporaryDirectory())).rejects.toThrow(
    /openRows: path must be a file, got the folder/,
  );
  const { append } = await openRows(join(temporaryDirectory(), "rows.jsonl"));
  await expect(append(3 as never)).rejects.toThrow(/append: row must be/);
});

it.each([
  ["an array in one line without a line feed", '[{"prompt": "a"}, {"prompt": "b"}]'],
  ["words in one line", "the only line of somebody's notes"],
  ["one line that begins like a row and goes on behind it", '{"a": 1} and more'],
  ["an object with other quotes", "{'a': 1}"],
  ["an indented object, whose last line is a bracket", '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}'],
  ["an indented array, whose last line begins like a row", '[\n{"a": 1},\n{"a": [2'],
  ["lines of words, and then the beginning of a row", '# Notes\n{"a": 1}\n{"a": 2'],
  ["lines of words alone", "a prompt\nanother prompt\n"],
  ["arrays alone", "[1]\n[2]\n"],
])("refuses a file with %s, and leaves it as it is", async (_, text) => {
  const path = join(temporaryDirectory(), "theirs.json");
  writeFileSync(path, text);
  const opened = openRows(path);
  await expect(opened).rejects.toBeInstanceOf(ValidationError);
  await expect(opened).rejects.toThrow(/^openRows: path must hold JSON lines, each an object, and the /);
  expect(readFileSync(path, "utf8")).toBe(text);
});

it.each([
  ["a bracket", "{"],
  ["a key", '{"n'],
  ["an escaped quote", '{"n": "say \\"{}}'],
  ["a list that has ended", '{"n": [1, {"m": 2}]'],
  ["zeros, which a loss of power leaves", "\0\0\0"],
  ["zeros behind the beginning of a row", '{"n": 2\0\0'],
])("takes a last line for a row that was cut off where it is %s", async (_, cut) => {
  const path = join(temporaryDirectory(), "rows.jsonl");
  writeFileSync(path, `{"n": 1}\n${cut}`);
  const { rows, append } = await openRows(path);
  expect(rows).toEqual([{ n: 1 }]);
  // Opening alone changes nothing.
  expect(readFileSync(path, "utf8")).toBe(`{"n": 1}\n${cut}`);
  await append({ n: 2 });
  expect(readFileSync(path, "utf8")).toBe('{"n": 1}\n{"n": 2}\n');
});

it("leaves out lines that are no rows among those that are, with their numbers, and ends a last row", async () => {
  const path = join(temporaryDirectory(), "rows.jsonl");
  writeFileSync(path, '{"n": 1}\n{"n": 2{"n": 3}\n\n{"n": 4}');
  const logger = new RecordingLogger();
  const { rows, append } = await openRows(path, { logger });
  expect(rows).toEqual([{ n: 1 }, { n: 4 }]);
  expect(logger.lines).toEqual([`warn: ${path}, line 2 is left out: it is no JSON object`]);
  await append({ n: 5 });
  expect(readFileSync(path, "utf8")).toBe('{"n": 1}\n{"n": 2{"n": 3}\n\n{"n": 4}\n{"n": 5}\n');
});
