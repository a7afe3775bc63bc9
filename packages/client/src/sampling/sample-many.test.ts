import { ClosedError, deferred, ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { openService, pauseForSockets, until } from "../testing/open-service.js";
import { SampleFailedError } from "./sample-failed-error.js";
import type { ManySample } from "./sample-many.js";
import type { SampleParams } from "./sampling-client.js";

const request = (token: number): SampleParams => ({ prompt: [token], sampling_params: { max_tokens: 1 } });
const requests = (count: number): SampleParams[] =>
  Array.from({ length: count }, (_, index) => request(index));

/** A sampler whose answers are held back until they are let go, by the token of the prompt. */
async function openSampler() {
  const open = await openService();
  const sampler = await open.service.createSamplingClient({ base_model: "b" });
  const gates = new Map<number, () => void>();
  const usual = open.stub.usual("asample");
  open.stub.on("asample", async (seen) => {
    const token = Number(/"tokens":\[(\d+)\]/.exec(seen.body.toString())?.[1]);
    const gate = deferred<void>();
    gates.set(token, gate.resolve);
    await gate.promise;
    if (token >= 100) return { status: 422, body: { detail: `no ${token}` } };
    return usual(seen);
  });
  const release = async (...tokens: readonly number[]): Promise<void> => {
    for (const token of tokens) {
      await until(() => gates.has(token), `the request ${token}`);
      gates.get(token)?.();
    }
  };
  return { ...open, sampler, gates, release };
}

describe("SamplingClient.sampleMany", () => {
  it("keeps to its concurrency, and reads its source as there is room", async () => {
    const { sampler, gates, release } = await openSampler();
    let read = 0;
    async function* source() {
      for (const each of requests(7)) {
        read += 1;
        yield each;
      }
    }
    const results: number[] = [];
    const done = (async () => {
      for await (const { index } of sampler.sampleMany(source(), { concurrency: 3 })) results.push(index);
    })();
    await until(() => gates.size === 3, "three requests");
    await pauseForSockets();
    expect([gates.size, read]).toEqual([3, 4]);
    await release(2);
    await until(() => results.length === 1, "a result");
    expect(results).toEqual([2]);
    await release(0, 1, 3, 4, 5, 6);
    await done;
    expect([...results].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it("gives results in the order of the requests where that is asked for", async () => {
    const { sampler, release } = await openSampler();
    const results: number[] = [];
    const done = (async () => {
      for await (const { index } of sampler.sampleMany(requests(4), { order: "call" })) results.push(index);
    })();
    await release(3, 2, 1);
    await pauseForSockets();
    expect(results).toEqual([]);
    await release(0);
    await done;
    expect(results).toEqual([0, 1, 2, 3]);
  });

  it("gives a request that fails as a result, counts it, and goes on", async () => {
    const { sampler, release } = await openSampler();
    const progress: unknown[] = [];
    const results: ManySample[] = [];
    const bad = { ...request(1), num_samples: 0 };
    const done = (async () => {
      const options = { order: "call", onProgress: (each: unknown) => progress.push(each) } as const;
      for await (const each of sampler.sampleMany([request(0), request(100), bad, request(2)], options))
        results.push(each);
    })();
    await release(0, 100, 2);
    await done;
    expect(results.map(({ error }) => error instanceof Error)).toEqual([false, true, true, false]);
    expect(results[1]).toMatchObject({ error: { status: 422 } });
    expect(results[2]?.error).toBeInstanceOf(ValidationError);
    expect(progress.at(-1)).toEqual({ started: 4, finished: 2, failed: 2 });
  });

  it("gives up what is under way when its loop is left, or its signal aborts", async () => {
    const { stub, sampler, gates, release } = await openSampler();
    const left = (async () => {
      for await (const _ of sampler.sampleMany(requests(50), { concurrency: 5 })) break;
    })();
    await release(4);
    await left;
    await pauseForSockets();
    expect(stub.seen("asample").length).toBeLessThanOrEqual(6);
    gates.clear();
    const controller = new AbortController();
    const aborted = sampler.sampleAll(requests(3), { signal: controller.signal });
    const failed = expect(aborted).rejects.toMatchObject({
      code: "aborted",
      message: "sampleAll was aborted",
    });
    await until(() => gates.size === 3, "the requests");
    controller.abort("enough");
    await failed;
  });

  it.each([
    [1, ["ok"]],
    [0, ["server_error"]],
  ])("tries a request again whose error may pass, %i times", async (retries, ends) => {
    const { stub, service } = await openService({ retry: { maxRetries: 0 } });
    stub.on("client/config", () => ({ body: { sample_no_retries: true } }));
    const sampler = await service.createSamplingClient({ base_model: "b" });
    stub.script("asample", { status: 503, body: { detail: "down" } });
    const results: string[] = [];
    for await (const { error } of sampler.sampleMany([request(0)], { retries }))
      results.push(error === undefined ? "ok" : (error as { code: string }).code);
    expect(results).toEqual(ends);
  });

  it("refuses options that cannot work at the call", async () => {
    const { sampler } = await openSampler();
    expect(() => sampler.sampleMany([], { concurrency: 0 })).toThrow(/concurrency must be 1 or more, got 0/);
    expect(() => sampler.sampleMany(null as never)).toThrow(/requests must be an array or another iterable/);
    expect(() => sampler.sampleMany([], { onProgress: 3 as never })).toThrow(/onProgress must be a function/);
    expect(() => sampler.sampleMany([], { retries: -1 })).toThrow(
      /retries must be a whole number of 0 or more/,
    );
    expect(() => sampler.sampleMany([], { order: "any" as "call" })).toThrow(
      /order must be one of completion, call/,
    );
    expect(() => sampler.sampleMany([], { concurency: 3 } as object)).toThrow(/concurrency/);
  });
});

describe("SamplingClient.sampleAll", () => {
  it("gives all responses in the order of the requests", async () => {
    const { service } = await openService();
    const sampler = await service.createSamplingClient({ base_model: "b" });
    const all = await sampler.sampleAll(
      requests(20).map((each, index) => ({ ...each, num_samples: 1 + (index % 3) })),
    );
    expect(all.map(({ sequences }) => sequences.length)).toEqual(
      Array.from({ length: 20 }, (_, index) => 1 + (index % 3)),
    );
    expect(await sampler.sampleAll([])).toEqual([]);
  });

  it("throws the error of a source that fails, and the first of a request", async () => {
    const { sampler, release } = await openSampler();
    async function* broken() {
      yield request(0);
      throw new Error("source");
    }
    await expect(sampler.sampleAll(broken())).rejects.toThrow("source");
    const fromRequest = sampler.sampleAll([request(0), request(101)]).catch((error: unknown) => error);
    await release(0, 101);
    expect(await fromRequest).toMatchObject({ index: 1, code: "unprocessable", cause: { status: 422 } });
  });

  it("names the request that failed, by its place, in the message too", async () => {
    const { sampler, release } = await openSampler();
    const failed = sampler.sampleAll(requests(2).concat(request(100)), { concurrency: 3 });
    const outcome = failed.catch((error: unknown) => error);
    await release(100);
    const error = await outcome;
    expect(error).toBeInstanceOf(SampleFailedError);
    expect(String(error)).toMatch(/^SampleFailedError: sampleAll: requests\[2\] failed: .*no 100/);
  });

  it("names the place of a request that is not valid in the path of its ValidationError", async () => {
    const { service } = await openService();
    const sampler = await service.createSamplingClient({ base_model: "b" });
    const wrong = { prompt: [1], sampling_params: { max_tokens: "many" as never } };
    const error = await sampler.sampleAll([request(0), wrong]).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({ path: ["requests", 1, "sampling_params", "max_tokens"] });
    expect(String(error)).toContain("sampleAll: requests[1]: ");
  });

  it("leaves what ends all of them as it is", async () => {
    const { service, sampler } = await openSampler();
    const pending = sampler.sampleAll(requests(2)).catch((error: unknown) => error);
    await sampler.close();
    expect(await pending).toBeInstanceOf(ClosedError);
    await service.close();
  });
});

describe("a loop over many samples", () => {
  it("ends with what its onProgress throws, at once or later, and ends no process by it", async () => {
    for (const onProgress of [
      () => {
        throw new Error("the caller's own fault");
      },
      async () => {
        throw new Error("the caller's own fault");
      },
    ]) {
      const { service } = await openService();
      const sampler = await service.createSamplingClient({ base_model: "b" });
      const read = async (): Promise<void> => {
        for await (const { error } of sampler.sampleMany(requests(3), { onProgress }))
          expect(error).toBeUndefined();
      };
      await expect(read()).rejects.toThrow("the caller's own fault");
    }
  });

  it("ends by return() while a result is waited for, and gives up the others", {
    timeout: 5_000,
  }, async () => {
    const { sampler, service, gates } = await openSampler();
    const results = sampler.sampleMany(requests(3));
    const first = results.next();
    await until(() => gates.size === 3, "three requests");
    expect(await results.return()).toEqual({ done: true, value: undefined });
    expect(await first).toEqual({ done: true, value: undefined });
    await until(() => service.stats().operations === 0, "the end of all");
  });

  it("ends with its signal while its source has nothing to give", { timeout: 5_000 }, async () => {
    const { sampler } = await openSampler();
    const controller = new AbortController();
    async function* source(): AsyncGenerator<SampleParams> {
      await new Promise<never>(() => {});
      yield request(1);
    }
    const results = sampler.sampleMany(source(), { signal: controller.signal });
    const first = results.next();
    await pauseForSockets();
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: "aborted" });
  });

  it("fails with AbortedError, and sends nothing, where its signal had aborted before", async () => {
    const { sampler, stub } = await openSampler();
    const signal = AbortSignal.abort("before");
    const results = sampler.sampleMany(requests(2), { signal });
    await expect(results.next()).rejects.toMatchObject({ code: "aborted", cause: "before" });
    expect(stub.seen("asample")).toEqual([]);
  });

  it("gives no results of requests that its signal gave up", async () => {
    const { sampler, gates } = await openSampler();
    const controller = new AbortController();
    const seen: ManySample[] = [];
    const read = (async () => {
      for await (const result of sampler.sampleMany(requests(3), { signal: controller.signal }))
        seen.push(result);
    })();
    await until(() => gates.size === 3, "three requests");
    controller.abort();
    await expect(read).rejects.toMatchObject({ code: "aborted" });
    expect(seen).toEqual([]);
  });
});
