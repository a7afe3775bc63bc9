import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FAILING_LOGGERS, failOnUnhandledErrors, temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { RunReader } from "../reader/run-reader.js";
import { openMetrics } from "./open-metrics.js";
import { openRows } from "./open-rows.js";
import { openRun } from "./open-run.js";

it.each(FAILING_LOGGERS)(
  "a logger that %s keeps nobody from a run, whatever there is to tell",
  async (_, logger) => {
    failOnUnhandledErrors();
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
  },
);
