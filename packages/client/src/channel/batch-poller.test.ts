import { FakeClock } from "@tinkex/base/testing";
import type { FuturesRetrieveRequest, FuturesRetrieveResponse } from "@tinkex/types";
import { decodeResponse } from "@tinkex/wire";
import { describe, expect, it } from "vitest";
import type { ServiceClientOptions } from "../service/service-client-options.js";
import { openService, passPauses, pauseForSockets, until } from "../testing/open-service.js";
import { RecordingLogger } from "../testing/recording-logger.js";
import type { Reply, SeenRequest } from "../testing/stub-service.js";
import { BatchPoller } from "./batch-poller.js";
import { FuturesPollerError } from "./futures-poller-error.js";

const params = { prompt: [1], sampling_params: { max_tokens: 1 } };

/** A sampler of a service that wants batch polls, and the completions that it tells of. */
async function openBatch(options: ServiceClientOptions = {}) {
  const open = await openService(options);
  const { stub } = open;
  stub.on("client/config", () => ({ body: { sample_use_retrieve_futures: true } }));
  const completions: object[] = [];
  let wake = (): void => {};
  /** Holds a long poll until there is something to tell. */
  const answer = async ({ json }: SeenRequest): Promise<Reply> => {
    const told = Number(json?.prev_cursor);
    if (json?.timeout === undefined && completions.length === told) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return { body: { completions: completions.slice(told), cursor: completions.length } };
  };
  stub.on("retrieve_futures", answer);
  const finish = (...ids: readonly string[]): void => {
    for (const request_id of ids) {
      completions.push({ state: "finished", request_id, response_payload_uncompressed_size: 100 });
    }
    wake();
  };
  const tell = (completion: object): void => {
    completions.push(completion);
    wake();
  };
  const polls = () => stub.seen("retrieve_futures").map(({ json }) => json);
  return {
    ...open,
    answer,
    finish,
    tell,
    polls,
    sampler: await open.service.createSamplingClient({ base_model: "b" }),
  };
}

const reported = (poll: SeenRequest["json"]): string[] => (poll?.retrieved_request_ids ?? []) as string[];

/** The sampler that is polled for. */
const TARGET = { type: "sampling_session", sampling_session_id: "S:sample:0", cloned_sampler_id: 0 } as const;

describe("samples that are waited for together", () => {
  it("newest-clients 1, 2: take one long poll, one fetch each, and one report of all; then no request", async () => {
    const { stub, sampler, clock, finish, polls } = await openBatch();
    const samples = [1, 2, 3].map(() => sampler.sample(params));
    const results = Promise.all(samples);
    await Promise.all(samples.map(({ submitted }) => submitted));
    await until(() => polls().length === 1, "the long poll");
    expect(polls()[0]).toEqual({
      target: { type: "sampling_session", sampling_session_id: "S:sample:0", cloned_sampler_id: 0 },
      prev_cursor: 0,
      retrieved_request_ids: [],
    });
    const [first] = stub.seen("retrieve_futures");
    expect(first?.headers["x-stainless-read-timeout"]).toBe("45");
    expect(first?.headers["x-sdk-method"]).toBeUndefined();
    expect(stub.seen("retrieve_future")).toEqual([]);
    finish("r3", "r1", "r2");
    await results;
    expect(stub.seen("retrieve_future").map(({ json }) => json?.allow_metadata_only)).toEqual([
      false,
      false,
      false,
    ]);
    expect(stub.seen("retrieve_future").map(({ headers }) => headers["x-tinker-request-iteration"])).toEqual([
      "0",
      "0",
      "0",
    ]);
    await until(() => clock.sleeping > 0 || polls().length > 1, "the gathering of reports");
    await clock.advance(100);
    await until(() => polls().length === 2, "the report");
    expect(polls()[1]).toMatchObject({
      timeout: 0,
      prev_cursor: 3,
      retrieved_request_ids: ["r1", "r2", "r3"],
    });
    expect(stub.seen("retrieve_futures")[1]?.headers["x-stainless-read-timeout"]).toBe("5");
    await pauseForSockets();
    await clock.advance(60_000);
    await pauseForSockets();
    expect(polls()).toHaveLength(2);
  });

  it.each([
    ["no size", { state: "finished" }, true],
    ["a size of 0", { state: "finished", response_payload_uncompressed_size: 0 }, true],
    ["failed", { state: "failed" }, true],
    ["a size", { state: "finished", response_payload_uncompressed_size: 50 }, false],
  ])("newest-clients 3: are fetched after a completion with %s", async (_, completion, isMetadataAllowed) => {
    const { stub, sampler, tell } = await openBatch();
    const sample = sampler.sample(params);
    tell({ ...completion, request_id: "r1" });
    await sample;
    expect(stub.seen("retrieve_future").map(({ json }) => json?.allow_metadata_only)).toEqual([
      isMetadataAllowed,
    ]);
  });

  it.each([429, 409, 503])("newest-clients 4: are polled for again after a %i", async (status) => {
    const { stub, sampler, clock, finish, answer } = await openBatch();
    stub.script("retrieve_futures", { status }, { status }, answer);
    const sample = sampler.sample(params);
    finish("r1");
    await passPauses(clock, sample);
    expect(stub.seen("retrieve_futures").length).toBeGreaterThanOrEqual(3);
  });

  it("newest-clients 4: are given up after the fourth refusal in a row, with an error of its own; the next one asks anew", async () => {
    const { stub, sampler, clock, logger, finish, answer } = await openBatch();
    const refused = { status: 400, body: { detail: "odd" } };
    stub.script("retrieve_futures", refused, refused, refused, refused, answer);
    const samples = [sampler.sample(params), sampler.sample(params)];
    const outcomes = Promise.allSettled(samples);
    await passPauses(clock, outcomes);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(FuturesPollerError) });
      expect(outcome).toMatchObject({
        reason: { status: 400, message: expect.stringMatching(/S:sample:0 \(clone 0\)/) },
      });
    }
    expect(stub.seen("retrieve_futures")).toHaveLength(4);
    expect(logger.lines.filter((line) => line.startsWith("error"))).toHaveLength(1);
    const next = sampler.sample(params);
    await next.submitted;
    finish("r3");
    await passPauses(clock, next);
  });

  it.each([404, 405])(
    "newest-clients 5: are polled for one by one where the server answers %i",
    async (status) => {
      const { stub, sampler } = await openBatch();
      stub.on("retrieve_futures", () => ({ status, body: { detail: "Not Found" } }));
      await Promise.all([sampler.sample(params), sampler.sample(params)]);
      await sampler.sample(params);
      expect(stub.seen("retrieve_futures")).toHaveLength(1);
      expect(stub.seen("retrieve_future")).toHaveLength(3);
    },
  );

  it("newest-clients 5: that were complete before the polling failed still succeed", async () => {
    const { stub, sampler, finish, polls } = await openBatch();
    const good = sampler.sample(params);
    good.catch(() => {});
    const bad = sampler.sample(params);
    const failed = expect(bad).rejects.toBeInstanceOf(FuturesPollerError);
    await Promise.all([good.submitted, bad.submitted]);
    await until(() => polls().length === 1, "the long poll");
    stub.on("retrieve_futures", () => ({ status: 410, body: { detail: "gone" } }));
    finish(good.requestId ?? "");
    await good;
    await failed;
  });

  it("newest-clients 7: are sampled again under the next number when the service has forgotten one, which is not reported", async () => {
    const { stub, sampler, clock, finish, polls } = await openBatch();
    stub.script("retrieve_future", { status: 410, body: { detail: "gone" } });
    const sample = sampler.sample(params);
    sample.catch(() => {});
    await sample.submitted;
    finish("r1");
    await until(() => stub.seen("retrieve_future").length === 1, "the fetch");
    await passPauses(
      clock,
      until(() => stub.seen("asample").length === 2, "the next attempt"),
    );
    finish("r2");
    await passPauses(clock, sample);
    expect(stub.seen("asample").map(({ json }) => json?.seq_id)).toEqual([0, 1]);
    const report = until(() => polls().some((poll) => reported(poll).includes("r2")), "the report");
    await passPauses(clock, report);
    expect(polls().some((poll) => reported(poll).includes("r1"))).toBe(false);
  });

  it("newest-clients 8: reject when the client closes, which reports what is left first", async () => {
    const { sampler, service, finish, polls, stub } = await openBatch();
    const done = sampler.sample(params);
    done.catch(() => {});
    const open = sampler.sample(params);
    const closed = expect(open).rejects.toMatchObject({ code: "closed" });
    await Promise.all([done.submitted, open.submitted]);
    finish(done.requestId ?? "");
    await done;
    await service.close();
    await closed;
    expect(polls().at(-1)).toMatchObject({ timeout: 0, retrieved_request_ids: [done.requestId] });
    expect(stub.trace.at(-1)).toBe("sessions/S/finish");
  });

  it("newest-clients 6: know no limit of their number, and hold one connection", async () => {
    const { stub, sampler, finish, polls } = await openBatch();
    stub.on("client/config", () => ({ body: { sample_use_retrieve_futures: true } }));
    const samples = Array.from({ length: 100 }, () => sampler.sample(params));
    const results = Promise.all(samples);
    await Promise.all(samples.map(({ submitted }) => submitted));
    await until(() => polls().length === 1, "the long poll");
    expect(stub.seen("retrieve_future")).toEqual([]);
    finish(...samples.map((_, index) => `r${index + 1}`));
    expect(await results).toHaveLength(100);
  });

  it("that come one after the other do not wait until the reports of those before are gathered", async () => {
    const { sampler, finish } = await openBatch();
    // The clock stands still: whatever sleeps, sleeps for ever.
    for (const id of ["r1", "r2", "r3"]) {
      const sample = sampler.sample(params);
      sample.catch(() => {});
      await sample.submitted;
      finish(id);
      await sample;
    }
  });

  it("and finish in one moment are fetched a hundred at a time", async () => {
    const { stub, sampler, finish, polls } = await openBatch();
    let underWay = 0;
    let most = 0;
    const samples = Array.from({ length: 150 }, () => sampler.sample(params));
    const results = Promise.all(samples);
    await Promise.all(samples.map(({ submitted }) => submitted));
    await until(() => polls().length === 1, "the long poll");
    stub.on("retrieve_future", async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await until(() => most >= 100, "as many fetches as there may be");
      await pauseForSockets();
      underWay -= 1;
      return { body: { type: "sample", sequences: [{ tokens: [1], logprobs: [0], stop_reason: "length" }] } };
    });
    finish(...samples.map((_, index) => `r${index + 1}`));
    expect(await results).toHaveLength(150);
    expect(most).toBe(100);
  });

  it("that wait for their fetch and are given up make room for the others", async () => {
    const { stub, sampler, finish, polls } = await openBatch();
    const samples = Array.from({ length: 150 }, () => sampler.sample(params));
    for (const sample of samples) sample.catch(() => {});
    await Promise.all(samples.map(({ submitted }) => submitted));
    await until(() => polls().length === 1, "the long poll");
    stub.on("retrieve_future", () => new Promise<Reply>(() => {}));
    finish(...samples.map(({ requestId = "" }) => requestId));
    await until(() => stub.seen("retrieve_future").length === 100, "as many fetches as there may be");
    const asked = new Set(stub.seen("retrieve_future").map(({ json }) => json?.request_id));
    const last = samples.filter(({ requestId }) => !asked.has(requestId));
    await Promise.all(last.slice(1).map((sample) => sample.cancel()));
    for (const sample of samples) if (asked.has(sample.requestId)) await sample.cancel();
    await until(() => stub.seen("retrieve_future").length === 101, "the fetch of the one that is left");
    expect(stub.seen("retrieve_future")[100]?.json?.request_id).toBe(last[0]?.requestId);
  });

  it("are not given up while the server ends each poll with 408, however long that goes on", async () => {
    const { stub, sampler, clock, logger, finish, answer } = await openBatch({ pollPatienceMs: 60_000 });
    const busy: Reply = { status: 408, body: { type: "try_again" } };
    stub.script("retrieve_futures", ...Array.from({ length: 40 }, () => busy), answer);
    const sample = sampler.sample(params);
    finish("r1");
    await passPauses(clock, sample);
    expect(stub.seen("retrieve_futures").length).toBeGreaterThan(40);
    expect(logger.lines.filter((line) => !line.startsWith("info"))).toEqual([]);
  });

  it("that are given up leave nothing behind, and those that nobody awaits are polled for all the same", async () => {
    const { sampler, finish, tell, clock, polls } = await openBatch();
    const kept = sampler.sample(params);
    const given = sampler.sample(params);
    given.catch(() => {});
    await Promise.all([kept.submitted, given.submitted]);
    await given.cancel();
    tell({ state: "finished", request_id: given.requestId });
    await passPauses(
      clock,
      until(() => polls().length >= 1, "a poll"),
    );
    finish(kept.requestId ?? "");
    await passPauses(clock, kept);
  });
});

describe("BatchPoller", () => {
  it("rests when all is reported, though the service moves its cursor with every answer", async () => {
    const clock = new FakeClock({ autoAdvance: true });
    const bodies: FuturesRetrieveRequest[] = [];
    const poller = openPoller(clock, bodies, async () => {
      if (bodies.length > 5) return never;
      const completions = bodies.length === 1 ? [{ state: "finished" as const, request_id: "r1" }] : [];
      return { completions, cursor: bodies.length };
    });
    await poller.finished("r1", context);
    poller.retrieved("r1");
    await until(() => bodies.length === 2, "the report");
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toMatchObject({ timeout: 0, prev_cursor: 1, retrieved_request_ids: ["r1"] });
  });

  it("goes on from a cursor beyond 2^53, which is a bigint", async () => {
    const { stub, sampler } = await openBatch();
    stub.on("retrieve_futures", async ({ json }) => {
      const completions = json?.prev_cursor === 0 ? '[{"state":"finished","request_id":"r1"}]' : "[]";
      return { body: `{"completions":${completions},"cursor":1152921504606846977}` };
    });
    expect((await sampler.sample(params)).sequences).toHaveLength(1);
  });

  it("polls again for whoever comes in the moment in which it ends", async () => {
    // One of these turns is that between the last look at what there is to do and the end of the work.
    for (let turns = 0; turns < 24; turns += 1) {
      const clock = new FakeClock();
      const bodies: FuturesRetrieveRequest[] = [];
      const completions = [{ state: "finished" as const, request_id: "r1" }];
      let later: Promise<unknown> | undefined;
      const answers = async (): Promise<FuturesRetrieveResponse> => {
        const body = bodies.at(-1);
        if (body?.timeout === 0 && later === undefined) {
          later = afterTurns(turns).then(() => {
            completions.push({ state: "finished", request_id: "r2" });
            return poller.finished("r2", context);
          });
        }
        return { completions: completions.slice(Number(body?.prev_cursor)), cursor: completions.length };
      };
      const poller: BatchPoller = openPoller(clock, bodies, answers);
      expect(await poller.finished("r1", context)).toMatchObject({ request_id: "r1" });
      await until(() => clock.sleeping > 0, "the gathering of reports");
      await clock.advance(100);
      await until(() => later !== undefined, "the report");
      expect(await passPauses(clock, later ?? never)).toMatchObject({ request_id: "r2" });
    }
  });
});

const never = new Promise<never>(() => {});
const encodeJson = (record: object): Uint8Array => new TextEncoder().encode(JSON.stringify(record));

const context = { signal: new AbortController().signal, isAwaited: () => true, stillWaiting: () => {} };

/** A poller alone; each poll is noted in `bodies` before it is answered. */
function openPoller(
  clock: FakeClock,
  bodies: FuturesRetrieveRequest[],
  answers: () => Promise<FuturesRetrieveResponse>,
): BatchPoller {
  return new BatchPoller(TARGET, {
    calls: {
      encode: (_name, record) => {
        // Its only endpoint is that of batch polls.
        bodies.push(record as FuturesRetrieveRequest);
        return new Uint8Array();
      },
      post: async () => ({ status: 200, headers: {}, body: encodeJson(await answers()), attempts: 1 }),
      decode: (name, body) => decodeResponse(name as "retrieve_futures", body) as never,
    },
    clock,
    random: () => 0.5,
    logger: new RecordingLogger(),
    active: new Set(),
    closing: new AbortController().signal,
    maxFailingMs: 60_000,
    onTrouble: () => {},
  });
}

/** Lets so many turns of the queue of promises pass. */
async function afterTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await undefined;
}
