import {
  AbortedError,
  ApiStatusError,
  ClosedError,
  ConnectionError,
  TimeoutError,
  ValidationError,
} from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { openService, pauseForSockets, sleepThrough, throughSleeps, until } from "../testing/open-service.js";
import { ServiceClient } from "./service-client.js";

const quiet = { env: {}, logger: console };

describe("ServiceClient", () => {
  it("clients 1: sends nothing when made, and no session for capabilities", async () => {
    const { stub, service } = await openService();
    await pauseForSockets();
    expect(stub.requests).toEqual([]);
    expect(await service.getServerCapabilities()).toEqual({ supported_models: [{ model_name: "m" }] });
    expect(stub.trace).toEqual(["client/config", "client/dynamic_config", "get_server_capabilities"]);
  });

  it("clients 2: opens one session for all clients, and numbers models in the order of the calls", async () => {
    const { stub, service } = await openService();
    const [first, second] = await Promise.all([
      service.createLoraTrainingClient({ base_model: "b" }),
      service.createLoraTrainingClient({ base_model: "b" }),
    ]);
    expect([first?.modelId, second?.modelId]).toEqual(["S:train:0", "S:train:1"]);
    expect(stub.seen("create_session").map(({ json }) => json)).toEqual([
      { tags: [], user_metadata: {}, sdk_version: "0.38.0", type: "create_session" },
    ]);
    expect(stub.seen("create_model").map(({ json }) => json)).toEqual([
      {
        session_id: "S",
        model_seq_id: 0,
        base_model: "b",
        lora_config: { rank: 32, train_unembed: true, train_mlp: true, train_attn: true },
        type: "create_model",
      },
      expect.objectContaining({ model_seq_id: 1 }),
    ]);
  });

  it("newest-clients 15: asks what the model is made of once, and keeps it", async () => {
    const { stub, service } = await openService();
    const training = await service.createLoraTrainingClient({
      base_model: "b",
      rank: 8,
      seed: 2n ** 60n,
      optimizer_config: { type: "dimuon", version: 1 },
      user_metadata: { run: "a" },
    });
    expect(stub.seen("create_model")[0]?.body.toString()).toContain('"seed":1152921504606846976');
    expect(stub.seen("create_model")[0]?.json).toMatchObject({
      optimizer_config: { type: "dimuon", version: 1 },
      user_metadata: { run: "a" },
    });
    const info = await training.getInfo();
    expect(info.model_data).toEqual({ model_name: "b", tokenizer_id: "base" });
    expect(await training.getInfo()).toBe(info);
    expect(stub.seen("get_info")).toHaveLength(1);
    await training.getInfo({ refresh: true });
    expect(stub.seen("get_info")).toHaveLength(2);
  });

  it("tolerates a server that cannot say what a model is made of", async () => {
    const { stub, service } = await openService();
    stub.on("get_info", () => ({ status: 404, body: { detail: "Not Found" } }));
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    await expect(training.getInfo()).rejects.toMatchObject({
      code: "unsupported_by_server",
      feature: "get_info",
    });
  });

  it("clients 3, 4: takes project and tags from the environment, unless an option says otherwise", async () => {
    const env = { TINKER_PROJECT_ID: "env", TINKER_TAGS: " a,,b , a," };
    const fromEnv = await openService({ env });
    await fromEnv.service.connect();
    expect(fromEnv.stub.seen("create_session")[0]?.json).toMatchObject({
      project_id: "env",
      tags: ["a", "b"],
    });
    const fromOptions = await openService({ env, projectId: "x", tags: [], displayName: "d" });
    await fromOptions.service.connect();
    expect(fromOptions.stub.seen("create_session")[0]?.json).toMatchObject({
      project_id: "x",
      tags: [],
      display_name: "d",
    });
    const empty = await openService({ env: { TINKER_PROJECT_ID: "", TINKER_TAGS: "" } });
    await empty.service.connect();
    expect(empty.stub.seen("create_session")[0]?.json).toEqual({
      tags: [],
      user_metadata: {},
      sdk_version: "0.38.0",
      type: "create_session",
    });
  });

  it("BR-035: refuses a key that cannot work before anything is sent, and never shows it", () => {
    const make = (apiKey: string) => () =>
      new ServiceClient({ ...quiet, baseUrl: "https://example.com", apiKey });
    expect(make("secret-key")).toThrow(ValidationError);
    expect(make("secret-key")).not.toThrow(/secret-key/);
    expect(make("tml-abc\n")).not.toThrow();
  });

  it("clients 5: refuses an adapter that trains nothing, and other bad arguments, before anything is sent", async () => {
    const { stub, service } = await openService();
    const none = { base_model: "b", train_attn: false, train_mlp: false, train_unembed: false };
    expect(() => service.createLoraTrainingClient(none)).toThrow(/at least one of/);
    expect(() => service.createLoraTrainingClient({ base_model: "b", rank: 0 })).toThrow(ValidationError);
    expect(() => service.createLoraTrainingClient({ base_model: "" })).toThrow(/base_model is missing/);
    expect(() => new ServiceClient({ ...quiet, baseUrl: stub.url, wire: "xml" as "json" })).toThrow(
      /wire must be one of/,
    );
    await pauseForSockets();
    expect(stub.requests).toEqual([]);
  });

  it("clients 6, newest-clients 17: makes samplers of a path or a base model, numbered from 0", async () => {
    const { stub, service } = await openService();
    expect(() => service.createSamplingClient({})).toThrow(/model_path or base_model/);
    expect(() => service.createSamplingClient({ model_path: "foo" })).toThrow(/must start with tinker:\/\//);
    const byPath = await service.createSamplingClient({
      model_path: "tinker://r/sampler_weights/x",
      base_model: "b",
    });
    expect(byPath.samplingSessionId).toBe("S:sample:0");
    expect(byPath.baseModel).toBe("b");
    expect(stub.seen("create_sampling_session")[0]?.json).toEqual({
      session_id: "S",
      sampling_session_seq_id: 0,
      base_model: "b",
      model_path: "tinker://r/sampler_weights/x",
      type: "create_sampling_session",
    });
    expect(stub.trace).not.toContain("samplers/S:sample:0");
    const second = await service.createSamplingClient({ base_model: "b" });
    expect(second.samplingSessionId).toBe("S:sample:1");
  });

  it("newest-clients 17: asks for the base model of a sampler made from a path", async () => {
    const { stub, service } = await openService();
    const sampler = await service.createSamplingClient({ model_path: "tinker://r/sampler_weights/x" });
    expect(sampler.baseModel).toBe("base");
    expect(stub.seen("samplers/S:sample:0")).toHaveLength(1);
  });

  it("clients 7, transport 79: beats every 10 s, and warns once the service has been silent for two minutes", async () => {
    const { stub, service, clock, logger } = await openService();
    let down = false;
    stub.on("session_heartbeat", () => ({ status: down ? 503 : 200, body: {} }));
    await service.connect();
    const beats = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        const before = clock.backgroundSleeps.length;
        await clock.advance(10_000);
        await until(() => clock.backgroundSleeps.length > before, "the end of a heartbeat");
      }
    };
    await beats(2);
    expect(stub.seen("session_heartbeat")[0]?.json).toEqual({ session_id: "S", type: "session_heartbeat" });
    down = true;
    await beats(12);
    expect(logger.lines).toEqual([]);
    await beats(1);
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn: no heartbeat of session S has arrived for 130 s/),
    ]);
    await beats(11);
    expect(logger.lines).toHaveLength(2);
    down = false;
    await beats(2);
    expect(logger.lines).toHaveLength(2);
  });

  it("newest-clients 20: stops beating when the service says that the session has finished", async () => {
    const { stub, service, clock, logger } = await openService();
    stub.on("session_heartbeat", () => ({ status: 410, body: {} }));
    await service.connect();
    await clock.advance(10_000);
    await until(() => logger.lines.length > 0, "the log line");
    expect(logger.lines).toEqual(["info: session S has finished; its heartbeat stops"]);
    await clock.advance(60_000);
    await pauseForSockets();
    expect(stub.seen("session_heartbeat")).toHaveLength(1);
  });

  it("clients 8, transport 78: reads the dynamic configuration again, no sooner than every 10 s, and tolerates its absence", async () => {
    const { stub, service, clock } = await openService();
    stub.on("client/dynamic_config", () => ({ body: { refresh_interval_sec: 1 } }));
    await service.connect();
    await clock.advance(9_999);
    await pauseForSockets();
    expect(stub.seen("client/dynamic_config")).toHaveLength(1);
    await clock.advance(1);
    await until(() => stub.seen("client/dynamic_config").length === 2, "the second reading");
    // A reading that fails changes nothing: the next one comes as soon.
    stub.on("client/dynamic_config", () => ({ status: 400, body: { detail: "no" } }));
    await until(() => clock.backgroundSleeps.length >= 4, "the pause before the third");
    await clock.advance(10_000);
    await until(() => stub.seen("client/dynamic_config").length === 3, "the third reading");
    await until(() => clock.backgroundSleeps.length >= 6, "the pause before the fourth");
    await clock.advance(10_000);
    await until(() => stub.seen("client/dynamic_config").length === 4, "the fourth reading");
    const old = await openService();
    old.stub.on("client/dynamic_config", () => ({ status: 404, body: {} }));
    await old.service.connect();
  });

  it("BR-013: works with a server that has no configuration, and ignores unknown fields of one that has", async () => {
    const old = await openService();
    old.stub.on("client/config", () => ({ status: 404, body: { detail: "Not Found" } }));
    await old.service.connect();
    expect(old.stub.trace).toEqual(["client/config", "create_session"]);
    expect(old.logger.lines).toEqual([]);
    const newer = await openService();
    newer.stub.on("client/config", () => ({ body: { something_new: { a: 1 } } }));
    await newer.service.connect();
    const refused = await openService();
    refused.stub.on("client/config", () => ({ status: 401, body: { detail: "no such key" } }));
    await expect(refused.service.connect()).rejects.toMatchObject({ code: "authentication_failed" });
  });

  it.each([
    ["sample_max_concurrent_requests", 0],
    ["sample_max_concurrent_requests", -1],
    ["fwdbwd_max_chunk_len", 0],
    ["sample_dispatch_bytes_semaphore_size", -1],
  ])(
    "transport 37: refuses a server's limit with which nothing could be sent (%s %i)",
    async (name, limit) => {
      const { stub, service } = await openService();
      stub.on("client/config", () => ({ body: { [name]: limit } }));
      await expect(service.connect()).rejects.toMatchObject({
        code: "response_invalid",
        message: expect.stringContaining(`client/config says ${name} is ${limit}`),
      });
    },
  );

  it("newest-clients 49, transport 27: waits for the account to pay also while it starts, or says so", async () => {
    const { stub, service, clock, logger } = await openService();
    stub.script("client/config", { status: 402, body: { detail: "pay" } });
    await throughSleeps(clock, service.connect());
    expect(clock.sleeps).toEqual([5_000]);
    expect(logger.lines).toEqual([expect.stringMatching(/^warn: the job is paused for billing.*pay/)]);
    const failing = await openService({ billing: "fail" });
    failing.stub.script("client/config", { status: 402, body: { detail: "pay" } });
    await expect(failing.service.connect()).rejects.toMatchObject({ status: 402, code: "billing_required" });
  });

  it("transport 25: pauses for billing do not use up the time for repeats", async () => {
    const { stub, service, clock } = await openService();
    const unpaid = Array.from({ length: 70 }, () => ({ status: 402, body: { detail: "pay" } }));
    stub.script("get_server_capabilities", ...unpaid, { status: 503, body: {} });
    await throughSleeps(clock, service.getServerCapabilities());
    expect(clock.sleeps).toHaveLength(71);
    expect(clock.monotonic()).toBeGreaterThan(350_000);
  });

  it("opens the session again after a failure", async () => {
    const { stub, service } = await openService();
    stub.script("create_session", { status: 403, body: { detail: "read-only project" } });
    await expect(service.connect()).rejects.toBeInstanceOf(ApiStatusError);
    await service.connect();
    expect(stub.seen("create_session")).toHaveLength(2);
    expect(stub.seen("client/config")).toHaveLength(1);
  });

  it("says soon that nobody answers at the base URL", async () => {
    const { stub, service, clock } = await openService();
    await stub.close();
    const outcome = service.connect().catch((error: unknown) => error);
    for (const tries of [1, 2]) await sleepThrough(clock, tries, 10_000);
    expect(await outcome).toBeInstanceOf(ConnectionError);
    expect(await outcome).toMatchObject({ message: expect.stringMatching(/TINKER_BASE_URL/) });
  });

  it("BR-010: every wait takes a limit and a signal", async () => {
    const { stub, service, clock } = await openService();
    stub.on("retrieve_future", () => new Promise(() => {}));
    const limited = service.createLoraTrainingClient({ base_model: "b" }, { timeoutMs: 2000 });
    const outcome = limited.catch((error: unknown) => error);
    await until(() => stub.seen("retrieve_future").length === 1, "the poll");
    await clock.advance(2000);
    expect(await outcome).toBeInstanceOf(TimeoutError);
    expect(await outcome).toMatchObject({ requestId: "r1" });
    const controller = new AbortController();
    const aborted = service.createLoraTrainingClient({ base_model: "b" }, { signal: controller.signal });
    await until(() => stub.seen("retrieve_future").length === 2, "the poll");
    controller.abort(new Error("stop"));
    await expect(aborted).rejects.toBeInstanceOf(AbortedError);
    await expect(service.getServerCapabilities({ signal: AbortSignal.abort() })).rejects.toBeInstanceOf(
      AbortedError,
    );
  });
});

describe("ServiceClient.close", () => {
  it("newest-clients 19: tells the service why, once, and refuses what comes later", async () => {
    const { stub, service } = await openService();
    await service.connect();
    await service.close({ status: "interrupted", detail: "d" });
    await service.close();
    expect(stub.seen("sessions/S/finish").map(({ json }) => json)).toEqual([
      { reason: { type: "interrupted" }, detail: "d" },
    ]);
    expect(() => service.createLoraTrainingClient({ base_model: "b" })).toThrow(ClosedError);
    await expect(service.connect()).rejects.toBeInstanceOf(ClosedError);
    expect(() => service.close({ status: "fine" as "success" })).toThrow(ValidationError);
  });

  it("sends `detail: null` when there is none, and nothing at all when no session was opened", async () => {
    const { stub, service } = await openService();
    await service.connect();
    await service[Symbol.asyncDispose]();
    expect(stub.seen("sessions/S/finish")[0]?.json).toEqual({ reason: { type: "success" }, detail: null });
    const unused = await openService();
    await unused.service.close();
    expect(unused.stub.requests).toEqual([]);
  });

  it.each([404, 405, 409, 410])("takes %i for an answer that needs no word", async (status) => {
    const { stub, service, logger } = await openService();
    stub.on("sessions/S/finish", () => ({ status, body: {} }));
    await service.connect();
    await service.close();
    expect(logger.lines).toEqual([]);
  });

  it("closes, with a warning, when the service cannot be told", async () => {
    const { stub, service, logger } = await openService();
    stub.on("sessions/S/finish", () => ({ status: 403, body: {} }));
    await service.connect();
    await service.close();
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn: the service was not told that session S is over/),
    ]);
  });

  it("BR-108: does not wait for the account to pay when it ends, beats or stops a pause", async () => {
    const { stub, service, clock, logger } = await openService();
    const unpaid = () => ({ status: 402, body: { detail: "pay" } });
    for (const path of ["session_heartbeat", "sessions/S/finish", "optim_step"]) stub.on(path, unpaid);
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    await clock.advance(10_000);
    await until(() => clock.backgroundSleeps.length >= 2, "the heartbeat after the one that was refused");
    expect(clock.sleeps).toEqual([]);
    training.optimStep().catch(() => {});
    await until(() => clock.sleeps.includes(5_000), "the pause for billing");
    await service.close();
    expect(clock.sleeping).toBe(0);
    expect(stub.seen("sessions/S/finish")).toHaveLength(1);
    expect(logger.lines.at(-1)).toMatch(/^warn: the service was not told that session S is over.*pay/);
  });

  it("BR-108: ends what is under way with ClosedError and lets all connections go", async () => {
    const { stub, service } = await openService();
    stub.on("retrieve_future", () => new Promise(() => {}));
    const creation = service.createLoraTrainingClient({ base_model: "b" });
    const outcome = creation.catch((error: unknown) => error);
    await until(() => stub.seen("retrieve_future").length === 1, "the poll");
    await service.close();
    expect(await outcome).toBeInstanceOf(ClosedError);
    await until(() => stub.seen("sessions/S/finish").length === 1, "the end of the session");
    let open = await stub.connections();
    for (let tries = 0; open > 0 && tries < 100; tries += 1) {
      await pauseForSockets();
      open = await stub.connections();
    }
    expect(open).toBe(0);
  });

  it("BR-108: ends what pauses between polls, and what waits for its turn", async () => {
    const { stub, service, clock } = await openService();
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    stub.on("retrieve_future", () => ({ body: { type: "try_again" } }));
    const pausing = training.optimStep();
    // Somebody waits, so that the pause is none of the background.
    pausing.catch(() => {});
    await until(() => clock.sleeps.length > 0, "the pause");
    stub.on("optim_step", () => new Promise(() => {}));
    const operations = [pausing, training.optimStep(), training.saveState("x")];
    const outcomes = Promise.allSettled(operations);
    await until(() => stub.seen("optim_step").length === 2, "the second step");
    await service.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(ClosedError) });
    }
  });

  it("gives up opening a session that is being opened", async () => {
    const { stub, service } = await openService();
    stub.on("create_session", () => new Promise(() => {}));
    const opening = service.connect().catch((error: unknown) => error);
    await until(() => stub.seen("create_session").length === 1, "the request");
    await service.close();
    expect(await opening).toBeInstanceOf(ClosedError);
    expect(stub.trace).not.toContain("sessions/S/finish");
  });
});
