import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ServiceClient } from "@tinkex/client";
import { RunReader } from "@tinkex/runs";
import { type SourceProgram, sourceProgram } from "@tinkex-tooling/source-program";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { breakableRun } from "./testing/breakable-run.js";
import type { BrokenRunOrder } from "./testing/broken-run.js";
import { type JournalEntry, journaledService, lineageOf } from "./testing/journaled-service.js";
import { localService } from "./testing/local-service.js";

/** The whole campaign, 60 steps and every point, on request: `TINKEX_RESUME_CAMPAIGN=1`. */
const isWhole = process.env.TINKEX_RESUME_CAMPAIGN === "1";

let program: SourceProgram;
beforeAll(async () => {
  program = await sourceProgram(`import "./testing/broken-run.ts";`, import.meta.url);
});
afterAll(() => program.remove());
const { service, url } = localService();

/** Points of a step, by the place where it is broken off: before, between, in the middle of and after every call, write and save. */
const pointsOf = (step: number): readonly string[] => {
  const name = String(step + 1).padStart(6, "0");
  return [
    `call forwardBackward ${step}`,
    `call optimStep ${step}`,
    `call saveState ${name}`,
    `call saveWeightsForSampler ${name}`,
    `done forwardBackward ${step}`,
    `beforeAppend metrics.jsonl ${step}`,
    `inAppend metrics.jsonl ${step}`,
    `afterAppend metrics.jsonl ${step}`,
    `done saveState ${name}`,
    `beforeAppend checkpoints.jsonl ${name}`,
    `inAppend checkpoints.jsonl ${name}`,
    `afterAppend checkpoints.jsonl ${name}`,
  ];
};

type Order = Omit<BrokenRunOrder, "url" | "runDirectory" | "journal">;

/** Does a run in a process of its own, which ends itself at the point of the order. @returns the points at which it was broken off */
async function runBroken(folder: string, order: Order): Promise<void> {
  const whole: BrokenRunOrder = {
    ...order,
    url: url(),
    runDirectory: join(folder, "broken"),
    journal: join(folder, "journal.jsonl"),
  };
  const args = [...program.nodeArguments, JSON.stringify(whole)];
  const env = { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR };
  const { code } = await promisify(execFile)(process.execPath, args, { env }).then(
    () => ({ code: 0 }),
    (error: { signal?: string; stderr?: string }) => ({ code: error.signal ?? error.stderr }),
  );
  expect(code, `${order.breakAt}`).toBe(order.signal === "SIGKILL" ? "SIGKILL" : 0);
}

const journalIn = (folder: string): (JournalEntry | { readonly broken: string })[] => {
  const path = join(folder, "journal.jsonl");
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  return lines.filter(Boolean).map((line) => JSON.parse(line));
};

/** Rows of metrics without the times. */
async function rowsOf(directory: string) {
  const rows = await new RunReader(directory).metrics();
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith("time/"))),
  );
}

async function goOn(order: Order, folder: string, name: string, entries: JournalEntry[]) {
  const spied: ServiceClient = journaledService(service(), {
    note: (entry) => entries.push(entry),
    reach: () => {},
  });
  const { metrics } = await breakableRun({ ...order, service: spied, runDirectory: join(folder, name) });
  const last = entries.findLast((entry) => "from" in entry);
  return { metrics, lineage: lineageOf(entries, last?.client ?? "") };
}

/** Breaks one run at each point in turn, goes on to its end, and compares it with a run that nothing has disturbed. */
async function expectSameEnd(order: Order, breaks: readonly string[]): Promise<void> {
  const folder = temporaryDirectory();
  const wanted = await goOn(order, folder, "whole", []);
  for (const breakAt of breaks) await runBroken(folder, { ...order, breakAt });
  const journal = journalIn(folder);
  expect(journal.flatMap((entry) => ("broken" in entry ? entry.broken : []))).toEqual(breaks);
  const entries = journal.flatMap((entry) => ("broken" in entry ? [] : [entry]));
  const found = await goOn(order, folder, "broken", entries);

  expect(wanted.lineage.length).toBeGreaterThanOrEqual(order.steps);
  expect(found.lineage).toEqual(wanted.lineage);
  const [wantedRows, rows] = [await rowsOf(join(folder, "whole")), await rowsOf(join(folder, "broken"))];
  expect(rows.map(({ step }) => step)).toEqual(Array.from({ length: order.steps }, (_, step) => step));
  for (const [step, row] of rows.entries()) {
    expect(Object.keys(row)).toEqual(Object.keys(wantedRows[step] ?? {}));
    for (const [name, value] of Object.entries(row)) {
      const difference = Math.abs(Number(value) - Number(wantedRows[step]?.[name]));
      expect(difference, `${name} of step ${step}`).toBeLessThanOrEqual(1e-6);
    }
  }
  const finalLoss = order.recipe === "sft" ? "train_mean_nll" : "env/all/reward/total";
  expect(Number(found.metrics[finalLoss])).toBeCloseTo(Number(wanted.metrics[finalLoss]), 6);
}

describe("a run that was broken off goes on by the same call as if nothing had happened", {
  timeout: 600_000,
}, () => {
  const [saveEvery, steps] = isWhole ? [4, 60] : [2, 5];
  /** Each point at a step of its own that ends with a checkpoint, so that every break has steps to make up for. */
  const breaksOf = (isChosen: (point: string) => boolean): readonly string[] => {
    const chosen = [...pointsOf(0).keys()].filter((index) => isChosen(pointsOf(0)[index] ?? ""));
    return chosen.map((index, place) => pointsOf(saveEvery * (place + 1) - 1)[index] ?? "");
  };
  const order = { recipe: "sft", steps, saveEvery, signal: "SIGKILL" } as const;

  it("cookbook 17: sft, killed in the middle of its metrics and between its saves and their line; by flag at every point of a step", async () => {
    const short = /^(inAppend metrics|beforeAppend checkpoints)/;
    const breaks = breaksOf((point) => isWhole || short.test(point));
    expect(breaks).toHaveLength(isWhole ? 12 : 2);
    await expectSameEnd(order, breaks);
  });

  it("cookbook 17: rl, killed in the middle of its checkpoint; by flag at every point of a step, and before its rollouts are in their place", async () => {
    const breaks = isWhole
      ? [
          ...breaksOf(() => true),
          `call saveWeightsAndGetSamplingClient 58`,
          "beforeRename train_rollout_summaries.jsonl",
        ]
      : ["inAppend checkpoints.jsonl 000002"];
    await expectSameEnd({ ...order, recipe: "rl", steps: isWhole ? 60 : 3 }, breaks);
  });

  it.runIf(isWhole).each(["sft", "rl"] as const)(
    "cookbook 17: %s, stopped by Ctrl-C at every point of a step",
    async (recipe) => {
      await expectSameEnd(
        { ...order, recipe, signal: "SIGINT" },
        breaksOf((point) => !point.startsWith("inAppend")),
      );
    },
  );
});
