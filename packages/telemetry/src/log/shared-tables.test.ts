import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { csvLog } from "./csv-log.js";

function place() {
  const folder = temporaryDirectory();
  const file = join(folder, "metrics.csv");
  return { file, text: () => readFileSync(file, "utf8") };
}

describe("csvLog in a table that another one writes too", () => {
  it("puts each row below its columns, whoever has added some", async () => {
    const { file, text } = place();
    const [one, two] = [csvLog({ file }), csvLog({ file })];
    await one.log({ loss: 1 }, 0);
    await two.log({ loss: 2 }, 0);
    await one.log({ loss: 1, acc: 0.5 }, 1);
    await two.log({ loss: 2 }, 1);
    await two.log({ loss: 2, lr: 3 }, 2);
    await one.log({ loss: 1, acc: 0.5 }, 2);
    expect(text()).toBe("step,loss,acc,lr\n0,1,,\n0,2,,\n1,1,0.5,\n1,2,,\n2,2,,3\n2,1,0.5,\n");
    await csvLog({ file }).log({ loss: 9 }, 3);
  });

  it("loses no row of those that are written at the same time, each with a column of its own", async () => {
    const { file, text } = place();
    const logs = Array.from({ length: 4 }, () => csvLog({ file }));
    const steps = Array.from({ length: 5 }, (_, step) => step);
    await Promise.all(
      logs.flatMap((log, index) => steps.map((step) => log.log({ [`m${index}-${step}`]: step }, step))),
    );
    const [header = "", ...rows] = text().trimEnd().split("\n");
    expect(header.split(",")).toHaveLength(21);
    expect(rows).toHaveLength(20);
    for (const row of rows) expect(row.split(",")).toHaveLength(21);
  });

  it("reads the header again when another program has put a file in its place, or taken it away", async () => {
    const { file, text } = place();
    const log = csvLog({ file });
    await log.log({ loss: 1 }, 0);
    writeFileSync(`${file}.new`, "loss,step\n1,0\n");
    renameSync(`${file}.new`, file);
    await log.log({ loss: 2 }, 1);
    expect(text()).toBe("loss,step\n1,0\n2,1\n");
    rmSync(file);
    await log.log({ loss: 3 }, 2);
    expect(text()).toBe("step,loss\n2,3\n");
  });

  it("keeps its rows while another program leaves a table that it cannot go on in", async () => {
    const { file, text } = place();
    const log = csvLog({ file });
    await log.log({ loss: 1 }, 0);
    appendFileSync(file, "a remark\n");
    const row = log.log({ loss: 2 }, 1);
    await expect(row).rejects.toBeInstanceOf(ValidationError);
    await expect(row).rejects.toThrow("has 1 cells in row 2");
    writeFileSync(file, "step,loss\n0,1\n");
    await log.log({ loss: 3 }, 2);
    expect(text()).toBe("step,loss\n0,1\n1,2\n2,3\n");
  });
});
