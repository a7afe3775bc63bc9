import {
  AbortedError,
  ClosedError,
  type Deferred,
  deferred,
  ResponseError,
  ValidationError,
} from "@tinkex/base";
import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import type { CallOptions } from "../inputs/call-options.js";
import { openService, pauseForSockets, sleepThrough, throughSleeps, until } from "../testing/open-service.js";
import type { Reply } from "../testing/stub-service.js";
import type { SamplingClient } from "./sampling-client.js";

const greedy = { max_tokens: 2 };

async function openSampler(config: object = {}) {
  const open = await openService();
  open.stub.on("client/config", () => ({ body: config }));
  const sampler = await open.service.createSamplingClient({ base_model: "b" });
  return { ...open, sampler };
}

const seqIds = (requests: readonly { readonly json: Readonly<Record<string, unknown>> | undefined }[]) =>
  requests.map(({ json }) => json?.seq_id);

describe("SamplingClient", () => {
  it("clients 70: numbers samples from 0 and sends the defaults", async () => {
    const { stub, sampler } = await openSampler();
    const results = await Promise.all(
      [1, 2, 3].map(() => sampler.sample({ prompt: [1, 2], sampling_params: greedy })),
    );
    expect(seqIds(stub.seen("asample"))).toEqual([0, 1, 2]);
    expect(stub.seen("asample")[0]?.json).toEqual({
      num_samples: 1,
      prompt: { chunks: [{ tokens: [1, 2], type: "encoded_text" }] },
      sampling_params: { max_tokens: 2, temperature: 1, top_k: -1, top_p: 1 },
      sampling_session_id: "S:sample:0",
      seq_id: 0,
      prompt_logprobs: false,
      topk_prompt_logprobs: 0,
      type: "sample",
    });
    expect(stub.seen("asample")[0]?.headers["x-tinker-sampling-backpressure"]).toBe("1");
    expect(results[0]?.sequences).toEqual([{ stop_reason: "length", tokens: [0], logprobs: [-1] }]);
  });

  it("sends what is newer than 0.25 only when it is asked for", async () => {
    const { stub, sampler } = await openSampler();
    await sampler.sample({
      prompt: [1],
      sampling_params: { stop: [] },
      topk_sample_logprobs: 2,
      num_samples: 2,
    });
    expect(stub.seen("asample")[0]?.json).toMatchObject({ topk_sample_logprobs: 2, num_samples: 2 });
    expect(stub.seen("asample")[0]?.json).toMatchObject({ sampling_params: { stop: [] } });
    expect(stub.seen("asample")[0]?.json).not.toHaveProperty("prompt_alt_tokens_k");
  });

  it("newest-clients 32, BR-065: refuses bad parameters at the call, with no number used", async () => {
    const { stub, sampler } = await openSampler();
    const bad = [
      { prompt: [1.5], sampling_params: greedy },
      { prompt: [1], sampling_params: { max_tokens: -1 } },
      { prompt: [1], sampling_params: { stop: [1, "x"] as string[] } },
      { prompt: [1], sampling_params: greedy, num_samples: 0 },
      { prompt: [1], sampling_params: greedy, prompt_alt_tokens_k: -1 },
      { prompt: [1], sampling_params: greedy, prompt_logprobs_last_n: 1 },
    ];
    for (const params of bad) expect(() => sampler.sample(params)).toThrow(ValidationError);
    await sampler.sample({ prompt: [1], sampling_params: greedy });
    expect(seqIds(stub.seen("asample"))).toEqual([0]);
  });

  it("newest-clients 33: gives each sequence the id the service announced, and none where it announced none", async () => {
    const { stub, sampler, logger } = await openSampler();
    const usual = stub.usual("asample");
    const announce = (ids: readonly string[]) => {
      stub.script("asample", async (request) => {
        const reply = await usual(request);
        return { ...reply, body: { ...(reply.body as object), sample_sequence_ids: ids } };
      });
      return sampler.sample({ prompt: [1], sampling_params: greedy, num_samples: 2 });
    };
    expect((await announce(["a", "b"])).sequences.map(({ sequence_id }) => sequence_id)).toEqual(["a", "b"]);
    expect((await announce(["a"])).sequences.map(({ sequence_id }) => sequence_id)).toEqual([
      undefined,
      undefined,
    ]);
    await announce(["a"]);
    expect(logger.lines).toEqual(["warn: the service gave 1 sequence ids for 2 samples; they are ignored"]);
    const plain = await sampler.sample({ prompt: [1], sampling_params: greedy });
    expect(plain.sequences[0]).not.toHaveProperty("sequence_id");
  });

  it("clients 74: scores a prompt by a sample of one token", async () => {
    const { stub, sampler } = await openSampler();
    stub.script("asample", () =>
      stub.accept("SampleResponse", {
        sequences: [{ stop_reason: "length", tokens: [1] }],
        prompt_logprobs: [null, -0.5],
        prompt_cache_hit_tokens: 0,
      }),
    );
    expect(await sampler.computeLogprobs([1, 2])).toEqual([null, -0.5]);
    expect(stub.seen("asample")[0]?.json).toMatchObject({
      num_samples: 1,
      sampling_params: { max_tokens: 1 },
      prompt_logprobs: true,
    });
    await expect(sampler.computeLogprobs([1, 2])).rejects.toBeInstanceOf(ResponseError);
  });

  it("newest-clients 34: says so when the server ignored what was asked", async () => {
    const { stub, sampler } = await openSampler();
    stub.script("asample", () =>
      stub.accept("SampleResponse", {
        sequences: [{ stop_reason: "length", tokens: [1] }],
        prompt_logprobs: [null, -1, -2, -3],
        prompt_cache_hit_tokens: 0,
      }),
    );
    const scored = sampler.computeLogprobs([1, 2, 3, 4], { prompt_logprobs_last_n: 1 });
    await expect(scored).rejects.toMatchObject({ feature: "prompt_logprobs_last_n" });
    const drawn = sampler.sample({ prompt: [1, 2], sampling_params: greedy, prompt_alt_tokens_k: 2 });
    await expect(drawn).rejects.toMatchObject({ feature: "prompt_alt_tokens_k" });
  });

  it("clients 71, transport 56: waits while the service is busy, and repeats under the same number", async () => {
    const { stub, sampler, clock } = await openSampler();
    stub.script("asample", { status: 429 }, { status: 429 });
    const sample = sampler.sample({ prompt: [1], sampling_params: greedy });
    for (const tries of [1, 2]) {
      await sleepThrough(clock, tries, 999);
      await pauseForSockets();
      expect(stub.seen("asample")).toHaveLength(tries);
      await clock.advance(251);
    }
    await sample;
    expect(seqIds(stub.seen("asample"))).toEqual([0, 0, 0]);
  });

  it("transport 57: waits longer with a long prompt, and all samplers of the session wait", async () => {
    const { stub, service, sampler, clock } = await openSampler();
    const other = await service.createSamplingClient({ base_model: "b" });
    stub.script("asample", { status: 429 });
    const long = sampler.sample({ prompt: new Int32Array(13_108), sampling_params: greedy });
    await until(() => clock.sleeps.length === 1, "the pause");
    const short = other.sample({ prompt: [1], sampling_params: greedy });
    await sleepThrough(clock, 2, 4_999);
    await pauseForSockets();
    expect(stub.seen("asample")).toHaveLength(1);
    await clock.advance(251);
    await Promise.all([long, short]);
  });

  it("transport 61: waits under the same number while the account cannot pay, and not for ever", async () => {
    const unpaid: Reply = { status: 402, body: { detail: "pay" } };
    const { stub, sampler, clock } = await openSampler();
    stub.script("asample", unpaid, unpaid);
    await throughSleeps(clock, sampler.sample({ prompt: [1], sampling_params: greedy }));
    expect(clock.sleeps).toEqual([5_000, 5_000]);
    expect(seqIds(stub.seen("asample"))).toEqual([0, 0, 0]);
    const limited = await openSampler({ billing_exception_max_pause_duration_sec: 4 });
    limited.stub.on("asample", () => unpaid);
    const given = limited.sampler.sample({ prompt: [1], sampling_params: greedy });
    await expect(throughSleeps(limited.clock, given)).rejects.toMatchObject({ code: "billing_required" });
    expect(limited.stub.seen("asample")).toHaveLength(2);
  });

  it("obeys the pause a 429 asks for", async () => {
    const { stub, sampler, clock } = await openSampler();
    stub.script("asample", { status: 429, headers: { "retry-after": "20" } });
    const sample = sampler.sample({ prompt: [1], sampling_params: greedy });
    await sleepThrough(clock, 1, 19_999);
    await pauseForSockets();
    expect(stub.seen("asample")).toHaveLength(1);
    await clock.advance(251);
    await sample;
  });

  it("clients 72, BR-069, transport 59, 62: holds no more than 400 submissions, and frees a place once one is accepted", async () => {
    const { stub, sampler } = await openSampler();
    const gates: Deferred<void>[] = [];
    const usual = stub.usual("asample");
    stub.on("asample", async (request) => {
      const gate = deferred<void>();
      gates.push(gate);
      await gate.promise;
      return usual(request);
    });
    const samples = Array.from({ length: 450 }, () =>
      sampler.sample({ prompt: [1], sampling_params: greedy }),
    );
    await until(() => gates.length === 400, "400 submissions");
    await pauseForSockets();
    expect(gates).toHaveLength(400);
    gates[0]?.resolve();
    await until(() => gates.length === 401, "one more");
    for (let opened = 1; opened < 450; opened += 1) {
      await until(() => gates.length > opened, "the next");
      gates[opened]?.resolve();
    }
    await Promise.all(samples);
  }, 20_000);

  it("transport 58: is careful for ten seconds after the service was busy", async () => {
    const { stub, sampler, clock } = await openSampler();
    stub.script("asample", { status: 429 });
    const first = sampler.sample({ prompt: [1], sampling_params: greedy });
    await sleepThrough(clock, 1, 1_251);
    await first;
    const usual = stub.usual("asample");
    const gate = deferred<void>();
    stub.on("asample", async (request) => {
      await gate.promise;
      return usual(request);
    });
    const samples = Array.from({ length: 15 }, () =>
      sampler.sample({ prompt: [1], sampling_params: greedy }),
    );
    await until(() => stub.seen("asample").length >= 12, "ten submissions");
    await pauseForSockets();
    expect(stub.seen("asample")).toHaveLength(2 + 10);
    gate.resolve();
    await Promise.all(samples);
  });

  it("clients 62, 77, transport 35: makes a sample again that the service has forgotten, under the next number", async () => {
    const { stub, sampler, clock } = await openSampler();
    stub.script("retrieve_future", { status: 410, body: {} });
    const sample = sampler.sample({ prompt: [1], sampling_params: greedy });
    await sleepThrough(clock, 1, 1_000);
    await sample;
    expect(seqIds(stub.seen("asample"))).toEqual([0, 1]);
  });

  it("clients 77, transport 38: leaves that to the caller where the server wants it, but for scores", async () => {
    const { stub, sampler, clock } = await openSampler({ sample_no_retries: true });
    stub.script("retrieve_future", { status: 410, body: {} }, { status: 410, body: {} });
    const sample = sampler.sample({ prompt: [1], sampling_params: greedy });
    await expect(sample).rejects.toMatchObject({ code: "gone" });
    const scores = sampler.computeLogprobs([1]).catch((error: unknown) => error);
    await sleepThrough(clock, 1, 1_000);
    // The stub gives no scores, so the second attempt is known by its error.
    expect(await scores).toBeInstanceOf(ResponseError);
    expect(seqIds(stub.seen("asample"))).toEqual([0, 1, 2]);
  });

  it("clients 76: keeps to the number of samples the server allows at one time", async () => {
    const { stub, sampler } = await openSampler({ sample_max_concurrent_requests: 2 });
    const gates: Deferred<void>[] = [];
    const usual = stub.usual("retrieve_future");
    stub.on("retrieve_future", async (request) => {
      const gate = deferred<void>();
      gates.push(gate);
      await gate.promise;
      return usual(request);
    });
    const samples = Array.from({ length: 3 }, () => sampler.sample({ prompt: [1], sampling_params: greedy }));
    await until(() => gates.length === 2, "two samples");
    await pauseForSockets();
    expect(stub.seen("asample")).toHaveLength(2);
    for (let opened = 0; opened < 3; opened += 1) {
      await until(() => gates.length > opened, "the next");
      gates[opened]?.resolve();
    }
    await Promise.all(samples);
  });

  it("clients 79, BR-015: aborting frees the place, without an unhandled rejection", async () => {
    const { stub, sampler } = await openSampler({ sample_max_concurrent_requests: 1 });
    failOnUnhandledErrors();
    stub.script("asample", () => new Promise<Reply>(() => {}));
    const controller = new AbortController();
    const samples = Array.from({ length: 20 }, () =>
      sampler.sample({ prompt: [1], sampling_params: greedy }, { signal: controller.signal }),
    );
    await until(() => stub.seen("asample").length === 1, "the first submission");
    controller.abort();
    const outcomes = await Promise.allSettled(samples);
    expect(
      outcomes.every((outcome) => outcome.status === "rejected" && outcome.reason instanceof AbortedError),
    ).toBe(true);
    await sampler.sample({ prompt: [1], sampling_params: greedy });
  });

  describe("a sample that is given up while it is waited for", () => {
    const open = async (dynamic: object, cancel: () => Reply | Promise<Reply> = () => ({ body: {} })) => {
      const opened = await openService();
      opened.stub.on("client/dynamic_config", () => ({ body: { sample_cancel_enabled: true, ...dynamic } }));
      opened.stub.on("cancel_future", cancel);
      opened.stub.on("retrieve_future", () => new Promise<Reply>(() => {}));
      return { ...opened, sampler: await opened.service.createSamplingClient({ base_model: "b" }) };
    };
    const drawn = async (sampler: SamplingClient, options: CallOptions = {}) => {
      const sample = sampler.sample({ prompt: [1], sampling_params: greedy }, options);
      sample.catch(() => {});
      await sample.submitted;
      // A future that an async function returned would be waited for.
      return { sample };
    };

    it("newest-clients 9: by a signal is told to the service", async () => {
      const { stub, sampler } = await open({});
      const controller = new AbortController();
      await drawn(sampler, { signal: controller.signal });
      controller.abort();
      await until(() => stub.seen("cancel_future").length === 1, "the cancellation");
      expect(stub.seen("cancel_future")[0]?.json).toEqual({ request_id: "r1" });
    });

    it("newest-clients 9: by its limit is told to the service, by the limit of a wait is not", async () => {
      const { stub, sampler, clock } = await open({});
      const { sample: waiting } = await drawn(sampler);
      const wait = expect(waiting.result({ timeoutMs: 500 })).rejects.toMatchObject({ code: "timed_out" });
      await clock.advance(1_000);
      await wait;
      await drawn(sampler, { timeoutMs: 500 });
      await clock.advance(1_000);
      await until(() => stub.seen("cancel_future").length === 1, "the cancellation");
      await pauseForSockets();
      expect(stub.seen("cancel_future").map(({ json }) => json)).toEqual([{ request_id: "r2" }]);
    });

    it("newest-clients 10: among many others is told in batches", async () => {
      let underWay = 0;
      let most = 0;
      const { stub, sampler } = await open({ sample_cancel_max_batch_size: 16 }, async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        await pauseForSockets();
        underWay -= 1;
        return { body: {} };
      });
      const samples = await Promise.all(Array.from({ length: 50 }, () => drawn(sampler)));
      expect(await Promise.all(samples.map(({ sample }) => sample.cancel()))).toEqual(
        samples.map(() => true),
      );
      expect(new Set(stub.seen("cancel_future").map(({ json }) => json?.request_id)).size).toBe(50);
      expect(most).toBe(16);
    });

    it("newest-clients 11: and that the service does not know is an error line, no more", async () => {
      const { sampler, logger } = await open({}, () => ({ status: 404, body: { detail: "no such future" } }));
      const { sample } = await drawn(sampler);
      expect(await sample.cancel()).toBe(false);
      const lines = logger.lines.filter((line) => line.startsWith("error: "));
      expect(lines).toEqual([expect.stringContaining("was not told that request r1 is given up")]);
    });

    it("that are thousands which the service does not know are one error line a minute, with their number", async () => {
      const { sampler, logger, clock } = await open({}, () => ({ status: 404, body: { detail: "unknown" } }));
      const lines = () => logger.lines.filter((line) => line.startsWith("error: "));
      const cancelAll = async (count: number) => {
        const samples = await Promise.all(Array.from({ length: count }, () => drawn(sampler)));
        await Promise.all(samples.map(({ sample }) => sample.cancel()));
      };
      await cancelAll(50);
      expect(lines()).toHaveLength(1);
      await clock.advance(61_000);
      await cancelAll(1);
      expect(lines()).toHaveLength(2);
      expect(lines()[1]).toContain("nor were 49 before it");
    });
  });

  it("newest-clients 9: tells the service of a sample that is given up, where it wants to hear of it", async () => {
    const open = async (dynamic: object) => {
      const { stub, service } = await openService();
      stub.on("client/dynamic_config", () => ({ body: dynamic }));
      stub.on("cancel_future", () => ({ body: {} }));
      stub.on("retrieve_future", () => new Promise<Reply>(() => {}));
      const sampler = await service.createSamplingClient({ base_model: "b" });
      const sample = sampler.sample({ prompt: [1], sampling_params: greedy });
      sample.catch(() => {});
      await sample.submitted;
      return { stub, told: await sample.cancel() };
    };
    const wanted = await open({ sample_cancel_enabled: true });
    expect(wanted.told).toBe(true);
    expect(wanted.stub.seen("cancel_future").map(({ json }) => json)).toEqual([{ request_id: "r1" }]);
    const unwanted = await open({});
    expect(unwanted.told).toBe(false);
    expect(unwanted.stub.seen("cancel_future")).toEqual([]);
  });

  it("logs a pause of a sampler at once, and then once a minute", async () => {
    const { stub, sampler, clock, logger } = await openSampler();
    const paused: Reply = { status: 408, body: { type: "try_again", queue_state: "paused_rate_limit" } };
    stub.on("retrieve_future", () => paused);
    const sample = sampler.sample({ prompt: [1], sampling_params: greedy });
    sample.catch(() => {});
    let slept = 0;
    const polls = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        slept += 1;
        await sleepThrough(clock, slept, 5_000);
      }
      await until(() => clock.sleeps.length > slept, "the next poll");
    };
    await polls(8);
    const line =
      "warn: Sampling for S:sample:0 is paused. Reason: the limit of concurrent sampler weights is reached.";
    expect(logger.lines).toEqual([line]);
    await polls(5);
    // The sample itself is slow by then.
    expect(logger.lines).toEqual([
      line,
      line,
      expect.stringMatching(/^info: sample .* has no result after 60 s, queue state paused_rate_limit$/),
    ]);
    await sample.cancel();
  });

  it("ends its operations when it is closed, and takes no more", async () => {
    const { stub, sampler } = await openSampler();
    stub.on("retrieve_future", () => new Promise<Reply>(() => {}));
    const sample = sampler.sample({ prompt: [1], sampling_params: greedy });
    const outcome = sample.catch((error: unknown) => error);
    await sample.submitted;
    await sampler.close();
    expect(await outcome).toBeInstanceOf(ClosedError);
    expect(() => sampler.sample({ prompt: [1], sampling_params: greedy })).toThrow(ClosedError);
  });
});
