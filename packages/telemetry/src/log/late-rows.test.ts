import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failOnUnhandledErrors, temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { csvLog } from "./csv-log.js";
import type { FileLog } from "./file-log.js";
import { metricsLog } from "./metrics-log.js";

interface Place {
  readonly log: FileLog;
  /** Folder of the log's file. */
  readonly folder: string;
  /** Rows of the file: their steps. */
  readonly steps: () => number[];
}

function placeOf(kind: string): Place {
  const parent = temporaryDirectory();
  const folder = join(parent, "run");
  const file = join(folder, kind === "csvLog" ? "metrics.csv" : "metrics.jsonl");
  const lines = (): string[] => (existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : []);
  return {
    log: kind === "csvLog" ? csvLog({ file }) : metricsLog({ directory: folder }),
    folder,
    steps: () =>
      kind === "csvLog"
        ? lines()
            .slice(1)
            .map((line) => Number(line.split(",")[0]))
        : lines().map((line) => Number(JSON.parse(line).step)),
  };
}

describe.each(["csvLog", "metricsLog"])("%s", (kind) => {
  it("writes the rows of a folder that could not be made before the next one, once it can be made", async () => {
    const { log, folder, steps } = placeOf(kind);
    writeFileSync(folder, "in the way");
    const first = [log.log({ a: 1 }, 0), log.log({ a: 2 }, 1)];
    for (const row of first) await expect(row).rejects.toThrow(/EEXIST|ENOTDIR/);
    rmSync(folder);
    await log.log({ a: 3 }, 2);
    expect(steps()).toEqual([0, 1, 2]);
  });

  it("writes them at the close where no row follows", async () => {
    const { log, folder, steps } = placeOf(kind);
    writeFileSync(folder, "in the way");
    await expect(log.log({ a: 1 }, 0)).rejects.toThrow();
    rmSync(folder);
    await log.close();
    expect(steps()).toEqual([0]);
  });

  it("goes on after a failure between two rows, and writes none twice", async () => {
    const { log, folder, steps } = placeOf(kind);
    await log.log({ a: 1 }, 0);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "in the way");
    await expect(log.log({ a: 2 }, 1)).rejects.toThrow();
    rmSync(folder);
    mkdirSync(folder);
    await log.log({ a: 3, b: 1 }, 2);
    await log.close();
    await log.close();
    expect(steps()).toEqual([1, 2]);
  });

  it("writes a row as it was at the call, though its object is filled anew meanwhile", async () => {
    const { log, folder, steps } = placeOf(kind);
    const row: Record<string, number> = {};
    const written = [7, 8, 9].map((loss, step) => {
      row.loss = loss;
      return log.log(row, step);
    });
    row.loss = 0;
    await Promise.all(written);
    expect(steps()).toEqual([0, 1, 2]);
    const [file = ""] = readdirSync(folder);
    const text = readFileSync(join(folder, file), "utf8");
    expect(text.match(/[789]/g)).toEqual(["7", "8", "9"]);
  });

  it("needs nobody to wait for a row, also where it cannot be written", async () => {
    const { log, folder } = placeOf(kind);
    writeFileSync(folder, "in the way");
    failOnUnhandledErrors();
    void log.log({ a: 1 }, 0);
    await log.close();
  });
});

describe("metricsLog", () => {
  it("passes over a row that can never be written", async () => {
    const { log, folder, steps } = placeOf("metricsLog");
    writeFileSync(folder, "in the way");
    await expect(log.log({ a: 1 }, 0)).rejects.toThrow();
    await expect(log.log({ a: 1 }, -1)).rejects.toThrow();
    rmSync(folder);
    const rows = [log.log({ a: 1 }, 1.5), log.log({ a: 2 }, 2)];
    await expect(rows[0]).rejects.toThrow("writeMetrics: step");
    await rows[1];
    expect(steps()).toEqual([0, 2]);
  });
});
