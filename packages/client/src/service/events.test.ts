import { subscribe, tracingChannel, unsubscribe } from "node:diagnostics_channel";
import { ApiStatusError, deferred, type TransportResponse } from "@tinkex/base";
import { type ClientMessage, EVENT_CHANNELS, type OperationTrace, type RequestTrace } from "@tinkex/types";
import { CANARY_KEY, CANARY_PROMPT, everythingOf, findCanaries } from "@tinkex-tooling/canary";
import { describe, expect, it, onTestFinished } from "vitest";
import { openService, throughSleeps, until } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";
import { events } from "./events.js";
import { ServiceClient } from "./service-client.js";

const DATUM = { model_input: [1, 2, 3], loss_fn_inputs: { target_tokens: [2, 3, 4] } };

/** The types of messages of one operation, in order. */
const typesOf = (messages: readonly ClientMessage[], method: string): string[] =>
  messages.flatMap((message) =>
    "operation" in message && message.operation.method === method ? [message.type] : [],
  );

/** Reads all messages of a service client until it is closed. */
function readAll(service: ServiceClient): {
  readonly messages: ClientMessage[];
  readonly ended: Promise<void>;
} {
  const messages: ClientMessage[] = [];
  const stream = events(service);
  const read = async (): Promise<void> => {
    for await (const message of stream) if (message.type !== "dropped") messages.push(message);
  };
  return { messages, ended: read() };
}

describe("events of a service client", () => {
  it("tell of a training step: started, accepted, submitted, its metrics, result", async () => {
    const { service, training } = await openTraining();
    const { messages, ended } = readAll(service);
    await training.trainStep([DATUM], "cross_entropy", { learning_rate: 1e-4 });
    await service.close();
    await ended;
    expect(typesOf(messages, "trainStep")).toEqual([
      "operation.started",
      "operation.accepted",
      "operation.accepted",
      "operation.submitted",
      "operation.metrics",
      "operation.result",
    ]);
    const metrics = messages.find(({ type }) => type === "operation.metrics");
    expect(metrics).toMatchObject({
      operation: { modelId: "S:train:0", lossFn: "cross_entropy", datumCount: 1, inputTokenCount: 3 },
      metrics: { "loss:sum": 1, grad_norm: 1 },
      service: { clientId: service.clientId, sessionId: "S" },
    });
    expect(messages.find(({ type }) => type === "operation.submitted")).toMatchObject({ seqId: 1 });
  });

  it("tell of the tokens and parameters of a sample, and of a checkpoint that was saved", async () => {
    const { service, training } = await openTraining();
    const { messages, ended } = readAll(service);
    const sampler = await service.createSamplingClient({ base_model: "b" });
    await sampler.sample({ prompt: [1, 2, 3], num_samples: 2, sampling_params: { max_tokens: 9, seed: 7 } });
    await training.saveState("first");
    await service.close();
    await ended;
    expect(messages.find(({ type }) => type === "operation.tokens")).toMatchObject({
      operation: { baseModel: "b", maxTokens: 9, seed: 7, sampleCount: 2, samplingSessionId: "S:sample:0" },
      inputTokenCount: 3,
      outputTokenCount: 2,
      stopReasons: ["length", "length"],
    });
    expect(messages.find(({ type }) => type === "operation.checkpoint")).toMatchObject({
      kind: "training",
      path: "tinker://S:train:0/weights/first",
    });
  });

  it("tell of the requests of a call with their repeats, and name the call", async () => {
    const { stub, service, training, clock } = await openTraining();
    const { messages, ended } = readAll(service);
    stub.script("optim_step", { status: 503 });
    const stepped = step(training);
    await throughSleeps(clock, stepped);
    await service.close();
    await ended;
    const started = messages.find(({ type }) => type === "operation.started");
    const operationId = started !== undefined && "operation" in started ? started.operation.operationId : 0;
    const requests = messages.filter((message) => "endpoint" in message && message.endpoint === "optim_step");
    expect(requests.map(({ type }) => type)).toEqual([
      "request.try",
      "request.answer",
      "request.retry",
      "request.try",
      "request.answer",
    ]);
    expect(requests).toEqual(requests.map((request) => ({ ...request, operationId })));
    expect(requests[1]).toMatchObject({ status: 503, outcome: "answered 503", attempt: 1, method: "POST" });
  });

  it("tell of a pause in the service's queue, of a failure by its class, and of a call that was given up", async () => {
    const { stub, service, training, clock } = await openTraining();
    const { messages, ended } = readAll(service);
    stub.script("retrieve_future", {
      body: { type: "try_again", queue_state: "paused_capacity", queue_state_reason: "busy" },
    });
    const stepped = step(training);
    await throughSleeps(clock, stepped);
    stub.on("optim_step", () => ({ status: 422, body: { detail: "no" } }));
    await expect(step(training)).rejects.toBeInstanceOf(ApiStatusError);
    const controller = new AbortController();
    controller.abort();
    await expect(training.saveState("a", { signal: controller.signal })).rejects.toThrow("aborted");
    await service.close();
    await ended;
    expect(messages.find(({ type }) => type === "queue.state")).toMatchObject({
      state: "paused_capacity",
      reason: "busy",
      requestType: "OptimStep",
    });
    expect(messages.find(({ type }) => type === "operation.failed")).toMatchObject({
      failure: { name: "ApiStatusError", code: "unprocessable", status: 422, isRetryable: false },
    });
    expect(typesOf(messages, "saveState")).toEqual(["operation.started", "operation.cancelled"]);
  });

  it("tell that a call waits while the account cannot pay", async () => {
    const { stub, service, training, clock } = await openTraining();
    const { messages, ended } = readAll(service);
    stub.script("optim_step", { status: 402 });
    await throughSleeps(clock, step(training));
    await service.close();
    await ended;
    const pauses = messages.filter(({ type }) => type === "request.pause");
    expect(pauses).toEqual([expect.objectContaining({ endpoint: "optim_step", operationId: 2 })]);
    expect(pauses[0]).toHaveProperty("delayMs", expect.any(Number));
  });

  it("hold neither key nor prompt nor tokens", async () => {
    const { stub, service } = await openService();
    const heard: unknown[] = [];
    const errors: unknown[] = [];
    // The error of a span is the one that the caller gets, whose message may quote the service.
    const hear = (message: unknown): void => {
      const { error, ...others } = message as { readonly error?: unknown };
      heard.push(structuredClone(others));
      errors.push(error);
    };
    const { messages, ended } = readAll(service);
    for (const name of Object.values(EVENT_CHANNELS)) {
      subscribe(name, hear);
      tracingChannel(name).asyncEnd.subscribe(hear);
    }
    onTestFinished(() => {
      for (const name of Object.values(EVENT_CHANNELS)) {
        unsubscribe(name, hear);
        tracingChannel(name).asyncEnd.unsubscribe(hear);
      }
    });
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    const secret = [...CANARY_PROMPT].map((letter) => letter.codePointAt(0) ?? 0);
    const headers = { "x-secret": CANARY_KEY };
    await training.forwardBackward(
      [{ model_input: secret, loss_fn_inputs: { target_tokens: secret } }],
      "cross_entropy",
      { headers },
    );
    const sampler = await service.createSamplingClient({ base_model: "b" });
    await sampler.sample(
      { prompt: secret, sampling_params: { max_tokens: 4, stop: CANARY_PROMPT } },
      { headers },
    );
    stub.on("asample", () => ({ status: 400, body: { detail: `${CANARY_PROMPT} ${CANARY_KEY}` } }));
    await sampler.sample({ prompt: secret, sampling_params: {} }).catch(() => {});
    await service.close();
    await ended;
    expect(heard.length).toBeGreaterThan(20);
    expect(findCanaries(everythingOf([messages, heard]))).toEqual([]);
    expect(everythingOf(errors)).not.toContain(CANARY_KEY);
    expect(errors.filter((error) => error instanceof ApiStatusError).length).toBeGreaterThan(0);
    const text = JSON.stringify([messages, heard]);
    expect(text).not.toContain(secret.join(","));
    expect(text).not.toContain(CANARY_PROMPT);
  });

  it("belong to one service client: another one's are not read", async () => {
    const one = await openService();
    const two = await openService();
    const read = [readAll(one.service), readAll(two.service)];
    await one.service.getServerCapabilities();
    await two.service.connect();
    await Promise.all([one.service.close(), two.service.close()]);
    await Promise.all(read.map(({ ended }) => ended));
    const ids = read.map(({ messages }) => [...new Set(messages.map(({ service }) => service.clientId))]);
    expect(ids).toEqual([[one.service.clientId], [two.service.clientId]]);
    expect(one.service.clientId).not.toBe(two.service.clientId);
    expect(typesOf(read[0]?.messages ?? [], "connect")).toEqual([]);
  });

  it("are published on the channels of the process, spans with the context of the call", async () => {
    const { service } = await openService();
    const spans: string[] = [];
    const operation = tracingChannel<string, OperationTrace>(EVENT_CHANNELS.operation);
    const request = tracingChannel<string, RequestTrace>(EVENT_CHANNELS.request);
    const onOperation = {
      start: ({ operation: { method } }: OperationTrace) => spans.push(`${method} begins`),
      asyncEnd: ({ operation: { method } }: OperationTrace) => spans.push(`${method} ends`),
      error: ({ error }: OperationTrace) => spans.push(`failed: ${(error as Error).name}`),
      end: () => {},
      asyncStart: () => {},
    };
    const onRequest = {
      start: ({ endpoint, operationId }: RequestTrace) => spans.push(`${endpoint} of ${operationId}`),
      asyncEnd: ({ end }: RequestTrace) => spans.push(`${end?.outcome}`),
      error: () => {},
      end: () => {},
      asyncStart: () => {},
    };
    operation.subscribe(onOperation);
    request.subscribe(onRequest);
    onTestFinished(() => {
      operation.unsubscribe(onOperation);
      request.unsubscribe(onRequest);
    });
    await service.getServerCapabilities();
    expect(spans).toEqual([
      "getServerCapabilities begins",
      "client_config of undefined",
      "answered 200",
      "client_dynamic_config of undefined",
      "answered 200",
      "get_server_capabilities of 1",
      "answered 200",
      "getServerCapabilities ends",
    ]);
  });

  it("keep as many as asked for of a reader that is slow, and say how many were dropped", async () => {
    const { service } = await openService();
    const stream = events(service, { channels: ["operation"], maxBuffered: 2 });
    for (let call = 0; call < 3; call += 1) await service.getServerCapabilities();
    const next = async (): Promise<unknown> => (await stream.next()).value;
    expect(await next()).toMatchObject({ type: "operation.started", operation: { operationId: 1 } });
    expect(await next()).toMatchObject({ type: "operation.result", operation: { operationId: 1 } });
    expect(await next()).toMatchObject({ type: "dropped", count: 4 });
    await service.getServerCapabilities();
    expect(await next()).toMatchObject({ type: "operation.started", operation: { operationId: 4 } });
  });

  it("end with the loop, a signal or the service client, and hold no call up", async () => {
    const { service } = await openService();
    const controller = new AbortController();
    const aborted = events(service, { signal: controller.signal });
    const left = events(service);
    const open = events(service);
    controller.abort();
    expect(await aborted.next()).toEqual({ done: true, value: undefined });
    await left.return?.();
    await service.getServerCapabilities();
    expect(await left.next()).toEqual({ done: true, value: undefined });
    await service.close();
    const types: string[] = [];
    for await (const { type } of open) types.push(type);
    expect(types).toContain("operation.result");
    expect(await events(service).next()).toEqual({ done: true, value: undefined });
  });

  it.each([
    [{}, {}, "events: service must be a ServiceClient, got an object"],
    [
      undefined,
      { channels: ["request", "x"] },
      'events: channels[1] must be one of operation, request, queue, got "x"',
    ],
    [undefined, { channels: "request" }, "events: channels must be an array, got a string"],
    [undefined, { maxBuffered: 0 }, "events: maxBuffered must be a whole number of 1 or more, got 0"],
    [undefined, { max: 1 }, 'the options of events: unknown field "max"'],
  ])("refuse what they cannot read: %j %j", async (other, options, message) => {
    const { service } = await openService();
    expect(() => events((other ?? service) as never, options as never)).toThrow(message);
  });
});

describe("statistics of a service client", () => {
  it("count calls, requests, polls, bytes and connections, and come back to nothing", async () => {
    const { stub, service, training } = await openTraining();
    const gates = [deferred<void>(), deferred<void>()] as const;
    const [submitting, polling] = gates;
    for (const [path, gate] of [
      ["forward_backward", submitting],
      ["retrieve_future", polling],
    ] as const) {
      const usual = stub.usual(path);
      stub.on(path, async (request) => {
        await gate.promise;
        return usual(request);
      });
    }
    const pass = training.forwardBackward([DATUM], "cross_entropy");
    await until(() => stub.seen("forward_backward").length === 1, "the pass is being submitted");
    const submitted = service.stats();
    expect(submitted).toMatchObject({ operations: 1, inFlight: 1, polls: 0, queued: 0 });
    expect(submitted.bytes.training).toBeGreaterThan(0);
    expect(submitted.sockets).toBeGreaterThan(0);
    submitting.resolve();
    await until(() => service.stats().polls === 1, "its result is polled for");
    expect(service.stats()).toMatchObject({ operations: 1, inFlight: 0, bytes: { training: 0 } });
    polling.resolve();
    await pass;
    expect(service.stats()).toMatchObject({ operations: 0, inFlight: 0, polls: 0, queued: 0 });
    await service.close();
    expect(service.stats().sockets).toBe(0);
  });

  it("count nothing of a transport of the caller's but calls", async () => {
    const gate = deferred<void>();
    const call = async (): Promise<TransportResponse> => {
      await gate.promise;
      return { status: 200, headers: {}, body: new TextEncoder().encode("{}"), attempts: 1 };
    };
    const service = new ServiceClient({ transport: { call, close: async () => {} }, env: {} });
    const asked = service.getServerCapabilities().catch(() => {});
    expect(service.stats()).toEqual({
      operations: 1,
      inFlight: 0,
      polls: 0,
      queued: 0,
      bytes: { training: 0, samples: 0, results: 0 },
      sockets: undefined,
    });
    gate.resolve();
    await asked;
    await service.close();
  });
});
