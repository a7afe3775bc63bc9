import { FAILING_LOGGERS, failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { evaluate, sft } from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";

const { service } = localService();

describe("a run with a warning", { timeout: 240_000 }, () => {
  it.each(FAILING_LOGGERS)("goes on where its logger %s", async (_, logger) => {
    failOnUnhandledErrors();
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
