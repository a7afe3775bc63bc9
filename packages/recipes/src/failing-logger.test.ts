import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { evaluate, sft } from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";

const { service } = localService();

const fail = (): never => {
  throw new Error("disk full");
};

/** Loggers whose methods fail, at once or later. */
const LOGGERS = [
  ["throws", fail],
  ["rejects", async () => fail()],
] as const;

describe("a run with a warning", { timeout: 240_000 }, () => {
  it.each(LOGGERS)("goes on where its logger %s", async (_, line) => {
    failOnUnhandledErrors();
    const logger = { debug: line, info: line, warn: line, error: line };
    const train = [
      { prompt: "abc", completion: " de\n" },
      { prompt: "abc", completion: "" },
    ];
    const common = { service: service(), logger };
    const options = { ...common, model: POCKET_MODEL, rank: 4, learningRate: 1e-3, batchSize: 1 };
    expect((await sft({ ...options, train })).steps).toBe(1);
    const { metrics } = await evaluate({ ...common, sampler: POCKET_MODEL, test: train });
    expect(metrics["test/nll"]).toBeGreaterThan(0);
    await new Promise(setImmediate);
  });
});
