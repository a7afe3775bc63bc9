import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { isProcessGone, processMark } from "./process-mark.js";

const [machine = ""] = processMark().split("-");

describe("the mark of a process", () => {
  it("names the machine without its name, and the process", () => {
    expect(processMark()).toMatch(/^[0-9a-f]{8}-\d+$/);
    expect(processMark().endsWith(`-${process.pid}`)).toBe(true);
  });

  it("is that of one that has ended, and not of one that runs", () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    expect(isProcessGone(`${machine}-${pid}`)).toBe(true);
    expect(isProcessGone(processMark())).toBe(false);
    expect(isProcessGone(`${machine}-${process.ppid}`)).toBe(false);
  });

  it.each([
    "",
    "x",
    "00000000-1",
    `${machine}`,
    `${machine}-`,
    `${machine}-0`,
    `${machine}--1`,
    `${machine}-1e3`,
  ])("tells nothing of %j, another machine's or none", (mark) => {
    expect(isProcessGone(mark)).toBe(false);
  });
});
