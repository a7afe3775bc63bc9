import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failOnUnhandledErrors, temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { RunReader } from "../reader/run-reader.js";
import { openMetrics } from "./open-metrics.js";
import { openRows } from "./open-rows.js";
import { openRun } from "./open-run.js";

const fail = (): never => {
  throw new Error("disk full");
};

/** Loggers whose methods fail, at once or later. */
const LOGGERS = [
  ["throws", fail],
  ["rejects", async () => fail()],
] as const;

it.each(LOGGERS)("a logger that %s keeps nobody from a run, whatever there is to tell", async (_, line) => {
  failOnUnhandledErrors();
  const logger = { debug: line, info: line, warn: line, error: line };
  const directory = join(temporaryDirectory(), "run");
  mkdirSync(directory);
  const metrics = join(directory, "metrics.jsonl");
  const cut = '{"step": 0}\nno row\n{"st';
  writeFileSync(metrics, cut);
  expect(await new RunReader(directory, { logger }).metrics()).toEqual([{ step: 0 }]);
  const rows = await openRows(metrics, { logger }).catch(() => undefined);
  await rows?.close();
  writeFileSync(metrics, '{"step": 0}\n{"st');
  await using opened = await openRows(metrics, { logger });
  expect(opened.rows).toEqual([{ step: 0 }]);
  await opened.close();
  await (await openMetrics(directory, { logger })).close();
  writeFileSync(metrics, '{"step": 0}\n{"st');
  await using run = await openRun(directory, { recipe: "sft", config: {}, logger });
  await run.writeMetrics(0, { a: 1 });
  expect(await new RunReader(directory).metrics()).toEqual([{ step: 0, a: 1 }]);
  await new Promise(setImmediate);
});
