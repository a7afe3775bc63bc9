import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { csvLog } from "./csv-log.js";

/** A file with these bytes, and its log. */
function logOf(content: string | Uint8Array) {
  const folder = temporaryDirectory();
  const file = join(folder, "metrics.csv");
  writeFileSync(file, content);
  return { file, log: csvLog({ file }), text: () => readFileSync(file, "utf8") };
}

describe("csvLog in a table of another program", () => {
  it.each([
    [
      "with CRLF, as spreadsheets save it",
      "step,loss\r\n0,1.5\r\n",
      "step,loss,lr\r\n0,1.5,\r\n1,1,\r\n2,0.5,3\r\n",
    ],
    [
      "with all names in quotes, as pandas and R write it",
      '"step","loss"\n0,"1.5"\n',
      '"step","loss",lr\n0,"1.5",\n1,1,\n2,0.5,3\n',
    ],
    [
      "with a byte order mark, quotes and CRLF",
      '\uFEFF"step",loss\r\n0,1.5\r\n',
      '\uFEFF"step",loss,lr\r\n0,1.5,\r\n1,1,\r\n2,0.5,3\r\n',
    ],
    [
      "with names of rows, as R writes them",
      '"","step","loss"\n"1",0,1.5\n',
      '"","step","loss",lr\n"1",0,1.5,\n,1,1,\n,2,0.5,3\n',
    ],
    [
      "with line feeds, commas and quotes within cells",
      'step,"the\nnote, or ""word""",loss\n0,"a\nb,""c""",1.5\n',
      'step,"the\nnote, or ""word""",loss,lr\n0,"a\nb,""c""",1.5,\n1,,1,\n2,,0.5,3\n',
    ],
    ["with spaces around names", "step, loss\n0, 1.5\n", "step, loss,lr\n0, 1.5,\n1,1,\n2,0.5,3\n"],
    [
      "with rows of both ends, as editors leave them",
      "step,loss\n0,1.5\r\n",
      "step,loss,lr\n0,1.5,\r\n1,1,\n2,0.5,3\n",
    ],
  ])("goes on in the columns that are there, and leaves the rest as it is: %s", async (_, before, after) => {
    const { log, text } = logOf(before);
    await log.log({ loss: 1 }, 1);
    await log.log({ loss: 0.5, lr: 3 }, 2);
    expect(text()).toBe(after);
  });

  it.each<[string, string | Uint8Array, string]>([
    ["semicolons", "step;loss\n0;1,5\n", 'has no column "step" in its header, got "step;loss"'],
    ["no header", "0,1.5\n1,1.25\n", 'has no column "step"'],
    ["a quote that never ends", 'step,loss\n0,5" pipe\n1,2\n', "has a quote that never ends"],
    ["rows that end with CR alone", "step,loss\r0,1.5\r1,2\r", "rows that end with CR alone"],
    ["a name twice", "step,loss,loss\n0,1,2\n", 'has two columns "loss"'],
    ["too few cells", "step,loss,lr\n0,1,2\n1,1\n", "has 2 cells in row 2, and 3 in its header"],
    ["an empty line", "step,loss\n0,1\n\n", "has 1 cells in row 2"],
    ["letters of Latin-1", Buffer.from("step,größe\n0,1\n", "latin1"), "must be UTF-8"],
    ["UTF-16", Buffer.from("\uFEFFstep,loss\n0,1\n", "utf16le"), "must be UTF-8"],
    ["one line of JSON without a line feed", '{"api":"important","lr":0.001}', 'has no column "step"'],
    ["words without a line feed", "three weeks of notes", 'has no column "step"'],
    ["one line with CR alone", "step,loss\r0,1.5\rx", "rows that end with CR alone"],
    ["a header that never ends", 'step,"loss', "has no whole header"],
    ["one line of Latin-1 without a line feed", Buffer.from("step,größe", "latin1"), "must be UTF-8"],
    ["a last row without its end and with too many cells", "step,loss\n0,1\n1,2,3", "has 3 cells in row 2"],
    ["a header without its end that has a name twice", "step,loss,loss", 'has two columns "loss"'],
  ])("refuses one with %s, and leaves it as it is", async (_, content, message) => {
    const { file, log } = logOf(content);
    for (const step of [5, 6]) {
      const row = log.log({ loss: 1, other: 2 }, step);
      await expect(row).rejects.toThrow(ValidationError);
      await expect(row).rejects.toThrow(message);
      await expect(row).rejects.toThrow(file);
    }
    await log.close();
    expect(readFileSync(file)).toEqual(Buffer.from(content));
  });

  it.each([
    ["a header without its end", "step,loss,acc", "step,loss,acc\n1,1,\n"],
    ["a header that ends with CR alone", "step,loss\r", "step,loss\r\n1,1\n"],
    ["a last row with all its cells", "step,loss\n0,0.5\n1,0.25", "step,loss\n0,0.5\n1,0.25\n1,1\n"],
    ["a last row of CRLF", "step,loss\r\n0,0.5", "step,loss\r\n0,0.5\r\n1,1\r\n"],
    ["a last row of CRLF that was cut between both", "step,loss\r\n0,0.5\r", "step,loss\r\n0,0.5\r\n1,1\r\n"],
    ["a last row in quotes", '"step","loss"\n0,"0,5"', '"step","loss"\n0,"0,5"\n1,1\n'],
  ])("gives %s its end, and keeps it", async (_, before, after) => {
    const { log, text } = logOf(before);
    await log.log({ loss: 1 }, 1);
    expect(text()).toBe(after);
  });

  it.each([
    ["too few cells", "step,loss\n0,1\n1", "step,loss\n0,1\n1,1\n"],
    ["a quote that is open", 'step,loss\n0,1\n1,"2', "step,loss\n0,1\n1,1\n"],
    ["zeros, which a loss of power leaves", "step,loss\n0,1\n1,0.\0\0", "step,loss\n0,1\n1,1\n"],
    ["spaces alone", "step\n0\n  ", "step,loss\n0,\n1,1\n"],
    ["zeros alone in a file", "\0\0\0", "step,loss\n1,1\n"],
  ])("takes away a last row that was cut off: %s", async (_, before, after) => {
    const { log, text } = logOf(before);
    await log.log({ loss: 1 }, 1);
    expect(text()).toBe(after);
  });

  it("keeps its permissions, and the link that leads to it, when a column is added", async () => {
    const { file, log, text } = logOf("step,loss\n0,1\n");
    renameSync(file, `${file}.real`);
    chmodSync(`${file}.real`, 0o640);
    symlinkSync(`${file}.real`, file);
    await log.log({ loss: 1 }, 1);
    await log.log({ loss: 1, lr: 2 }, 2);
    await log.log({ loss: 1, lr: 2 }, 3);
    expect(text()).toBe("step,loss,lr\n0,1,\n1,1,\n2,1,2\n3,1,2\n");
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    if (process.platform !== "win32") expect(statSync(`${file}.real`).mode & 0o777).toBe(0o640);
  });

  it("writes the rows that it has refused once the table is mended", async () => {
    const { file, log, text } = logOf("step;loss\n0;1\n");
    await expect(log.log({ loss: 2 }, 1)).rejects.toThrow(ValidationError);
    writeFileSync(file, "step,loss\n0,1\n");
    await log.log({ loss: 3 }, 2);
    expect(text()).toBe("step,loss\n0,1\n1,2\n2,3\n");
  });

  it("gives a name with a line feed one column, however often the log is opened", async () => {
    const { file, log, text } = logOf("");
    await log.log({ " a\nb ": 1 }, 0);
    await csvLog({ file }).log({ "a b": 3 }, 1);
    expect(text()).toBe("step,a b\n0,1\n1,3\n");
  });

  it("takes away a row that was cut off in the middle of a letter, or within quotes", async () => {
    const { file, log, text } = logOf("step,note\r\n0,größe\r\n");
    appendFileSync(file, Buffer.from("1,grö").subarray(0, -1));
    await log.log({ note: "x" }, 1);
    appendFileSync(file, '2,"a,');
    await csvLog({ file }).log({ note: "y" }, 2);
    expect(text()).toBe("step,note\r\n0,größe\r\n1,x\r\n2,y\r\n");
  });

  it.each<[string, Record<string, number>]>([
    ["by spaces", { a: 1, " a": 2 }],
    ["by ends of lines", { "a b": 1, "a\nb": 2 }],
    ["from the step by spaces", { "step ": 1 }],
  ])("refuses a row with two names that differ %s alone, and writes the next one", async (_, metrics) => {
    const { log, text } = logOf("");
    const row = log.log(metrics, 0);
    await expect(row).rejects.toBeInstanceOf(ValidationError);
    await expect(row).rejects.toThrow("csvLog: the names of metrics must differ in more than spaces");
    await log.log({ loss: 1 }, 1);
    expect(text()).toBe("step,loss\n1,1\n");
  });

  it("writes the step of a row, whatever its metrics call so", async () => {
    const { log, text } = logOf("");
    await log.log({ loss: 1, step: 77 }, 3);
    expect(text()).toBe("step,loss\n3,1\n");
  });
});
