import { describe, expect, it } from "vitest";
import { openService, passPauses, pauseForSockets, until } from "../testing/open-service.js";
import type { Handler, Reply } from "../testing/stub-service.js";
import { FuturesPollerError } from "./futures-poller-error.js";

const params = { prompt: [1], sampling_params: { max_tokens: 1 } };
const DONE = { completions: [{ state: "finished", request_id: "r1" }], cursor: 1 };

/** A sampler of a service that wants batch polls, and answers them one after the other, the last of these again and again. */
async function openAnswers(...answers: readonly (Reply | Handler)[]) {
  const open = await openService();
  open.stub.on("client/config", () => ({ body: { sample_use_retrieve_futures: true } }));
  const left = [...answers];
  open.stub.on("retrieve_futures", async (request) => {
    const next = left.length > 1 ? left.shift() : left[0];
    return typeof next === "function" ? next(request) : (next ?? {});
  });
  return { ...open, sampler: await open.service.createSamplingClient({ base_model: "b" }) };
}

const page: Reply = { body: "<html>Welcome</html>", headers: { "content-type": "text/html" } };

describe("samples that are waited for together", () => {
  it.each([
    ["a proxy's page", page],
    ["nothing", { body: "" }],
    ["a list", { body: "[]" }],
  ])("are waited for again after an answer of %s, and a line says so", async (_, odd) => {
    const { stub, sampler, clock, logger } = await openAnswers(odd, odd, odd, odd, odd, { body: DONE });
    expect((await passPauses(clock, sampler.sample(params))).sequences).toHaveLength(1);
    expect(stub.seen("retrieve_futures").length).toBeGreaterThanOrEqual(6);
    const lines = logger.lines.filter((line) => line.includes("asking again in"));
    expect(lines).toEqual([
      expect.stringMatching(/ waiting for the samples of S:sample:0, asking again in \d\.\d s: /),
    ]);
  });

  it("that came are only reported from then on, and a line says so where the report fails", async () => {
    const { stub, sampler, clock, logger } = await openAnswers(
      { body: DONE },
      { status: 503 },
      { body: DONE },
    );
    await sampler.sample(params);
    await passPauses(
      clock,
      until(() => stub.seen("retrieve_futures").length >= 3, "the report after the one that failed"),
    );
    expect(logger.lines.filter((line) => line.includes("asking again in"))).toEqual([
      expect.stringMatching(/ reporting the samples that came of S:sample:0, asking again in \d\.\d s: /),
    ]);
  });

  it("are given up where nothing but pages has come for 15 minutes", async () => {
    const { sampler, clock } = await openAnswers(page);
    const sample = sampler.sample(params);
    await expect(passPauses(clock, sample, 10_000)).rejects.toThrow(FuturesPollerError);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(900_000);
  });

  it.each([{}, { completions: null, cursor: 1 }, { completions: [{ request_id: 5 }], cursor: 1 }])(
    "newest-clients 5: are given up after the fourth record in a row that is not valid: %j",
    async (body) => {
      const { stub, sampler, clock } = await openAnswers({ body });
      await expect(passPauses(clock, sampler.sample(params))).rejects.toThrow(
        /sampling session S:sample:0 \(clone 0\): FuturesRetrieveResponse/,
      );
      expect(stub.seen("retrieve_futures")).toHaveLength(4);
    },
  );

  it("are not asked after without a pause while the server tells of other samples alone, again and again", async () => {
    const others: Reply = { body: { completions: [{ state: "finished", request_id: "x" }], cursor: 0 } };
    const { stub, sampler, clock } = await openAnswers(others);
    const sample = sampler.sample(params).result();
    await until(() => stub.seen("retrieve_futures").length > 0, "a poll");
    await pauseForSockets();
    expect(stub.seen("retrieve_futures")).toHaveLength(1);
    stub.on("retrieve_futures", () => ({ body: DONE }));
    await passPauses(clock, sample);
  });

  it("settle both where the service gives two of them one request", async () => {
    let tell = (): void => {};
    const told = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const { stub, sampler, clock } = await openAnswers(async () => {
      await told;
      return { body: DONE };
    });
    stub.script("asample", stub.usual("asample"), { body: { request_id: "r1" } });
    const first = sampler.sample(params);
    await first.submitted;
    const second = sampler.sample(params);
    await second.submitted;
    await passPauses(clock, second);
    tell();
    expect(await passPauses(clock, first)).toEqual(await second);
  });
});
