import { Worker } from "node:worker_threads";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import { describe, expect, it } from "vitest";
import { type OpenService, openService, throughSleeps, until } from "../testing/open-service.js";
import { runScript } from "../testing/run-script.js";
import type { SamplerHandle } from "./sampler-handle.js";
import type { SamplingClient } from "./sampling-client.js";

const PARAMS = { prompt: [1, 2], sampling_params: { max_tokens: 1 } };
const HANDLE: SamplerHandle = {
  type: "tinkex.sampler",
  session_id: "S",
  sampling_session_id: "S:sample:0",
  base_model: "base",
};

/** A service client as another process has it, and a copy of a sampler. */
async function openCopy(config: object = {}): Promise<OpenService & { readonly copy: SamplingClient }> {
  const open = await openService();
  open.stub.on("client/config", () => ({ body: config }));
  return { ...open, copy: await open.service.createSamplingClientFromHandle(HANDLE) };
}

const seqIds = ({ stub }: OpenService): unknown[] => stub.seen("asample").map(({ json }) => json?.seq_id);

describe("the handle of a sampler", () => {
  it("newest-clients 35: is plain data that JSON and structured clones keep, without the key", async () => {
    const { service, stub } = await openService({ headers: { "x-secret": CANARY_KEY } });
    const sampler = await service.createSamplingClient({ base_model: "base", record_stability_info: true });
    const handle = sampler.toHandle();
    expect(handle).toEqual({ ...HANDLE, record_stability_info: true, base_url: stub.url });
    expect(JSON.parse(JSON.stringify(handle))).toEqual(handle);
    expect(structuredClone(handle)).toEqual(handle);
    expect(JSON.stringify(handle)).not.toContain(CANARY_KEY);
    const there = await openService();
    const copy = await there.service.createSamplingClientFromHandle(handle);
    expect(copy.toHandle()).toEqual({ ...handle, base_url: there.stub.url });
    expect(copy.baseModel).toBe("base");
    await copy.sample(PARAMS);
    expect(there.stub.seen("asample")[0]?.json).toMatchObject({ record_stability_info: true });
  });

  it("gives a copy that opens no session, keeps that of the sampler alive, and leaves it as it is", async () => {
    const { copy, service, stub, clock } = await openCopy();
    await copy.sample(PARAMS);
    expect(stub.seen("asample")[0]?.json).toMatchObject({ sampling_session_id: "S:sample:0" });
    await clock.advance(10_000);
    await until(() => stub.seen("session_heartbeat").length > 0, "a heartbeat");
    expect(stub.seen("session_heartbeat")[0]?.json).toMatchObject({ session_id: "S" });
    await service.close();
    expect(stub.seen("create_session")).toEqual([]);
    expect(stub.seen("create_sampling_session")).toEqual([]);
    expect(stub.seen("sessions/S/finish")).toEqual([]);
  });

  it.each([
    [undefined, "handle must be an object"],
    ["S:sample:0", "handle must be an object"],
    [{ ...HANDLE, type: "other" }, 'handle.type must be "tinkex.sampler", got "other"'],
    [{ ...HANDLE, session_id: "" }, "handle.session_id must be a string that is not empty"],
    [{ ...HANDLE, base_model: 5 }, "handle.base_model must be a string, got 5"],
    [{ ...HANDLE, record_stability_info: 1 }, "handle.record_stability_info must be a boolean, got 1"],
    [{ ...HANDLE, api_key: "x" }, "api_key"],
  ])("is refused where it is none, before anything is sent: %j", async (handle, message) => {
    const { service, stub } = await openService();
    expect(() => service.createSamplingClientFromHandle(handle as never)).toThrow(message);
    expect(stub.requests).toEqual([]);
  });
});

describe("a copy of a sampler", () => {
  it("counts in the statistics of its service client, and samples of one account count once", async () => {
    const { copy, service, stub } = await openCopy();
    let answer = (): void => {};
    const gate = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const usual = stub.usual("asample");
    stub.on("asample", async (request) => {
      await gate;
      return usual(request);
    });
    const own = await service.createSamplingClient({ base_model: "b" });
    const samples = [copy, own].map((each) => each.sample({ ...PARAMS, prompt: new Array(100).fill(1) }));
    await until(() => stub.seen("asample").length === 2, "the samples");
    const { samples: bytes } = service.stats().bytes;
    expect(bytes).toBeGreaterThan(0);
    answer();
    await samples[0];
    await samples[1];
    const alone = copy.sample({ ...PARAMS, prompt: new Array(100).fill(1) });
    stub.on("asample", () => new Promise(() => {}));
    await until(() => service.stats().bytes.samples > 0, "the bytes of the copy");
    expect(2 * service.stats().bytes.samples).toBe(bytes);
    await alone.cancel();
    await alone.catch(() => {});
  });

  it("newest-clients 35: asks for its number once, before the first samples, and counts from there", async () => {
    const open = await openCopy({ sample_join_sampling_session: true });
    const { copy, stub } = open;
    expect(stub.seen("join_sampling_session")).toEqual([]);
    await Promise.all([copy.sample(PARAMS), copy.sample(PARAMS)]);
    await copy.sample(PARAMS);
    expect(stub.seen("join_sampling_session").map(({ json }) => json)).toEqual([
      { sampling_session_id: "S:sample:0", type: "join_sampling_session" },
    ]);
    expect(seqIds(open)).toEqual([3_000_000_000, 3_000_000_001, 3_000_000_002]);
  });

  it("newest-clients 35: polls for its samples under its number", async () => {
    const { copy, stub, clock } = await openCopy({
      sample_join_sampling_session: true,
      sample_use_retrieve_futures: true,
    });
    stub.on("retrieve_futures", () => ({
      body: { completions: [{ state: "finished", request_id: "r1" }], cursor: 1 },
    }));
    await throughSleeps(clock, copy.sample(PARAMS));
    expect(stub.seen("retrieve_futures")[0]?.json?.target).toEqual({
      type: "sampling_session",
      sampling_session_id: "S:sample:0",
      cloned_sampler_id: 3,
    });
  });

  it("newest-clients 35: fails with its sample where joining is refused, and the next one asks again", async () => {
    const open = await openCopy({ sample_join_sampling_session: true });
    open.stub.script("join_sampling_session", { status: 404, body: { detail: "no such sampler" } });
    const failed = [open.copy.sample(PARAMS), open.copy.sample(PARAMS)];
    for (const sample of failed) await expect(sample).rejects.toMatchObject({ code: "not_found" });
    await open.copy.sample(PARAMS);
    expect(seqIds(open)).toEqual([3_000_000_000]);
    expect(open.stub.seen("join_sampling_session")).toHaveLength(2);
  });

  it("goes on joining for the others when one sample is given up, and refuses a number that is none", async () => {
    const open = await openCopy({ sample_join_sampling_session: true });
    open.stub.script("join_sampling_session", { body: { client_counter: 0 } });
    await expect(open.copy.sample(PARAMS)).rejects.toThrow("client_counter must be from 1 to 9007198, got 0");
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const usual = open.stub.usual("join_sampling_session");
    open.stub.on("join_sampling_session", async (request) => {
      await held;
      return usual(request);
    });
    const controller = new AbortController();
    const given = open.copy.sample(PARAMS, { signal: controller.signal });
    const kept = open.copy.sample(PARAMS);
    await until(() => open.stub.seen("join_sampling_session").length === 2, "it asks");
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: "aborted" });
    answer();
    await kept;
    expect(seqIds(open)).toEqual([3_000_000_000]);
  });

  it("draws its number where the service gives none, and its samples have numbers that are exact", async () => {
    const open = await openCopy();
    await open.copy.sample(PARAMS);
    await open.copy.sample(PARAMS);
    const [first, second] = seqIds(open).map(Number);
    expect(first).toBe(9_007_198 * 1_000_000_000);
    expect(second).toBe((first ?? 0) + 1);
    expect(Number.isSafeInteger(second)).toBe(true);
    expect(open.stub.seen("join_sampling_session")).toEqual([]);
  });

  it("samples in another process from a handle in JSON, and in a worker from a message", {
    timeout: 30_000,
  }, async () => {
    const { service, stub } = await openService();
    const handle = (await service.createSamplingClient({ base_model: "base" })).toHandle();
    const passed = await new Promise((resolve) => {
      const echo =
        "const { parentPort } = require('node:worker_threads'); parentPort.once('message', (m) => parentPort.postMessage(m));";
      const worker = new Worker(echo, { eval: true });
      worker.once("message", (message) => {
        void worker.terminate();
        resolve(message);
      });
      worker.postMessage(handle);
    });
    const { stdout, stderr } = await runScript(
      `import { ServiceClient } from ${JSON.stringify(new URL("../index.ts", import.meta.url).href)};
      const handle = JSON.parse(process.env.HANDLE);
      await using service = new ServiceClient({ baseUrl: handle.base_url, logger: console });
      const sampler = await service.createSamplingClientFromHandle(handle);
      const { sequences } = await sampler.sample({ prompt: [1], sampling_params: { max_tokens: 1 } });
      console.log(sequences.length);`,
      { HANDLE: JSON.stringify(passed), TINKER_API_KEY: "tml-copy" },
    );
    expect(stderr).toBe("");
    expect(stdout.trim().split("\n").at(-1)).toBe("1");
    expect(stub.seen("asample")[0]?.headers["x-api-key"]).toBe("tml-copy");
    expect(Number(stub.seen("asample")[0]?.json?.seq_id)).toBeGreaterThanOrEqual(1_000_000_000);
  });
});
