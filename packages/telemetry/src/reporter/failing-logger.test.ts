import { FAILING_LOGGERS, failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { OpenReporter } from "../testing/open-reporter.js";
import { MAX_QUEUED } from "./event-queue.js";

it.each(FAILING_LOGGERS)("a logger that %s reaches neither the program nor the counts", async (_, logger) => {
  failOnUnhandledErrors();
  const open = new OpenReporter("S", { logger });
  open.take = async () => Promise.reject(new Error("refused"));
  const session = open.reporter.begin(open.session);
  while (open.reporter.log("event"));
  expect(open.reporter.stats.queued).toBe(MAX_QUEUED);
  expect(open.reporter.logException(new Error("x"))).toBe(false);
  await session.close();
  const { sent, queued, dropped } = open.reporter.stats;
  expect([sent, queued]).toEqual([0, 0]);
  expect(dropped).toBeGreaterThan(MAX_QUEUED);
  await new Promise(setImmediate);
});
