import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RecordingLogger } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { JsonLinesReader } from "./json-lines-reader.js";

function readerOf(text?: string) {
  const path = join(temporaryDirectory(), "rows.jsonl");
  if (text !== undefined) writeFileSync(path, text);
  const logger = new RecordingLogger();
  return { path, logger, reader: new JsonLinesReader<{ n: number }>(path, logger) };
}

it("reads only what came since it looked last", async () => {
  const { path, reader } = readerOf('{"n": 1}\n{"n": 2}\n');
  expect(await reader.read()).toEqual({ rows: [{ n: 1 }, { n: 2 }], isReset: false });
  expect(await reader.read()).toEqual({ rows: [], isReset: false });
  // Rows that were read may change under it: nobody reads them again.
  writeFileSync(path, '{"x": 1}\n{"x": 2}\n', { flag: "r+" });
  appendFileSync(path, '{"n": 3}\n');
  expect(await reader.read()).toEqual({ rows: [{ n: 3 }], isReset: false });
  expect(reader.offset).toBe(27);
});

it("leaves a last line without its end for later, and warns of it once", async () => {
  const { path, logger, reader } = readerOf('{"n": 1}\n{"n": ');
  expect((await reader.read()).rows).toEqual([{ n: 1 }]);
  expect((await reader.read()).rows).toEqual([]);
  expect(logger.lines).toHaveLength(1);
  expect(logger.lines[0]).toMatch(/rows\.jsonl: the last line has no end yet and is left out \(6 bytes\)/);
  appendFileSync(path, "2}\n");
  expect((await reader.read()).rows).toEqual([{ n: 2 }]);
});

it("gives each row to one of two calls at the same time", async () => {
  const { reader } = readerOf('{"n": 1}\n{"n": 2}\n');
  const [first, second] = await Promise.all([reader.read(), reader.read()]);
  expect([...first.rows, ...second.rows]).toEqual([{ n: 1 }, { n: 2 }]);
});

it("starts again when the file is shortened, replaced or gone", async () => {
  const { path, reader } = readerOf('{"n": 1}\n{"n": 2}\n');
  await reader.read();
  writeFileSync(path, '{"n": 9}\n');
  expect(await reader.read()).toEqual({ rows: [{ n: 9 }], isReset: true });
  writeFileSync(`${path}.new`, '{"n": 7}\n{"n": 8}\n{"n": 9}\n');
  renameSync(`${path}.new`, path);
  expect(await reader.read()).toEqual({ rows: [{ n: 7 }, { n: 8 }, { n: 9 }], isReset: true });
  renameSync(path, `${path}.old`);
  expect(await reader.read()).toEqual({ rows: [], isReset: true });
  expect(await reader.read()).toEqual({ rows: [], isReset: false });
});

it("leaves out lines that are no objects, and names their numbers", async () => {
  const { logger, reader } = readerOf('\r\n{"n": 1}\r\nnonsense\n\n[1]\n{"n": NaN}\n');
  expect((await reader.read()).rows).toEqual([{ n: 1 }, { n: Number.NaN }]);
  expect(logger.lines.map((line) => line.replace(/^.*, line/, "line"))).toEqual([
    expect.stringMatching(/^line 3 is left out: JSON: .*"n"/),
    "line 5 is left out: it is no JSON object",
  ]);
});

it("reads lines that are longer than one read, and letters that stand across its border", async () => {
  const long = "é".repeat(700_001);
  const { reader } = readerOf(`${JSON.stringify({ n: long })}\n${JSON.stringify({ n: "ü" })}\n`);
  const { rows } = await reader.read();
  expect(rows).toHaveLength(2);
  expect(rows[0]?.n === (long as unknown)).toBe(true);
  expect(rows[1]).toEqual({ n: "ü" });
});
