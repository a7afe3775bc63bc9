import { ApiStatusError, ClosedError } from "@tinkex/base";
import type { GenericEvent, TelemetryEvent, TelemetrySendRequest } from "@tinkex/types";
import { CANARY_KEY, CANARY_PROMPT, CANARY_TOKENS, findCanaries } from "@tinkex-tooling/canary";
import { describe, expect, it, onTestFinished } from "vitest";
import { ServiceClient } from "../../../client/src/service/service-client.js";
import type { ServiceClientOptions } from "../../../client/src/service/service-client-options.js";
import { type Reply, StubService } from "../../../client/src/testing/stub-service.js";
import { ServiceReporter } from "./service-reporter.js";

const logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Repeats that take no time to speak of. */
const retry = { firstDelayMs: 1, maxDelayMs: 2 };

/** A service that takes telemetry, and a client of it that reports; both end with the test. */
async function reporting(options: ServiceClientOptions = {}) {
  const stub = await StubService.start();
  const reporter = new ServiceReporter();
  stub.on("telemetry", () => ({ body: { status: "accepted" } }));
  const service = new ServiceClient({
    baseUrl: stub.url,
    apiKey: CANARY_KEY,
    env: {},
    telemetry: reporter,
    logger,
    retry,
    ...options,
  });
  onTestFinished(async () => {
    await service.close();
    await stub.close();
  });
  return { stub, service, reporter };
}

/** The events that have arrived. */
function arrived(stub: StubService): TelemetryEvent[] {
  return stub.seen("telemetry").flatMap(({ json }) => [...(json as unknown as TelemetrySendRequest).events]);
}

/** The generic events of a name that have arrived. */
function named(stub: StubService, name: string): GenericEvent[] {
  return arrived(stub).filter(
    (event): event is GenericEvent => "event_name" in event && event.event_name === name,
  );
}

const POLL_FIELDS = [
  "request_id",
  "request_type",
  "status_code",
  "exception",
  "exception_type",
  "kind",
  "is_user_error",
  "iteration",
  "elapsed_time",
];

describe("telemetry 17: what fails in a client", () => {
  it.each([
    ["a refused poll", { status: 404, body: { detail: "no" } }, "api_status_error", "fatal", "ERROR"],
    [
      "a poll for what is lost",
      { status: 410, body: { detail: "no" } },
      "api_status_error",
      "fatal",
      "ERROR",
    ],
    [
      "a poll that is odd",
      { status: 400, body: { detail: "no" } },
      "api_status_error",
      "retry_if_budget",
      "ERROR",
    ],
    [
      "a poll of a service that is not well",
      { status: 500, body: "" },
      "api_status_error",
      "retry_with_backoff",
      "WARNING",
    ],
    ["a connection that breaks", { isReset: true }, "connection_error", "retry_with_backoff", "WARNING"],
  ] as const)("is told by its name and fields: %s", async (_, reply: Reply, name, kind, severity) => {
    const { stub, service } = await reporting();
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    // Twice: a kept connection that has died is nobody's failure the first time.
    stub.script("retrieve_future", reply, reply);
    await training.optimStep().catch(() => {});
    await service.close();
    const [event] = named(stub, `APIFuture.result_async.${name}`);
    expect(Object.keys(event?.event_data ?? {})).toEqual(POLL_FIELDS);
    expect(event).toMatchObject({ severity, event_data: { kind, request_type: "OptimStep", iteration: 0 } });
  });

  it.each([
    ["user", "User", "WARNING", true],
    ["server", "Server", "ERROR", false],
    ["unknown", "Unknown", "ERROR", false],
  ] as const)(
    "is told by its name and fields: work that failed by fault of %s",
    async (category, word, severity, isUser) => {
      const { stub, service } = await reporting();
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      stub.script("retrieve_future", { body: { error: `the prompt ${CANARY_PROMPT}`, category } });
      await training.optimStep().catch(() => {});
      await service.close();
      const [event] = named(stub, "APIFuture.result_async.application_error");
      expect(Object.keys(event?.event_data ?? {})).toEqual([
        "request_id",
        "request_type",
        "error",
        "error_category",
        "is_user_error",
        "iteration",
        "elapsed_time",
      ]);
      expect(event).toMatchObject({ severity, event_data: { error_category: word, is_user_error: isUser } });
      expect(named(stub, "user_error")).toHaveLength(isUser ? 1 : 0);
      expect(findCanaries(JSON.stringify(arrived(stub)))).toEqual([]);
    },
  );

  it("is told by its name and fields: results that cannot be read", async () => {
    const { stub, service } = await reporting();
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    const type = { "content-type": "application/x-protobuf" };
    const broken = { body: Buffer.from([255, 255, 255, 255]), headers: type };
    const datum = { model_input: [1], loss_fn_inputs: { target_tokens: [1], weights: [1] } };
    stub.script("retrieve_future", broken, broken, broken, broken);
    await training.forwardBackward([datum], "cross_entropy").catch(() => {});
    const shapeless = { body: { metrics: "many" } };
    stub.script("retrieve_future", shapeless, shapeless, shapeless, shapeless);
    await training.optimStep().catch(() => {});
    await service.close();
    const [decoded] = named(stub, "APIFuture.result_async.proto_deserialization_error");
    expect(Object.keys(decoded?.event_data ?? {})).toEqual([
      "request_id",
      "request_type",
      "exception",
      "exception_type",
      "proto_bytes_len",
      "model_cls",
      "iteration",
      "elapsed_time",
    ]);
    const [checked] = named(stub, "APIFuture.result_async.validation_error");
    expect(Object.keys(checked?.event_data ?? {})).toEqual([
      "request_id",
      "request_type",
      "exception",
      "exception_type",
      "exception_stack",
      "model_cls",
      "iteration",
      "elapsed_time",
    ]);
  });

  it("is told by its name and fields: a result that does not come in time", async () => {
    const { stub, service } = await reporting();
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    const usual = stub.usual("retrieve_future");
    stub.on("retrieve_future", () => ({ body: { type: "try_again" } }));
    await training.optimStep({}, { timeoutMs: 50 }).catch(() => {});
    stub.on("retrieve_future", usual);
    await service.close();
    const [event] = named(stub, "APIFuture.result_async.timeout");
    expect(Object.keys(event?.event_data ?? {})).toEqual([
      "request_id",
      "request_type",
      "timeout",
      "iteration",
      "elapsed_time",
    ]);
    expect(event).toMatchObject({ severity: "ERROR", event_data: { timeout: 0.05 } });
  });

  it("is told by its name and fields: a request that is repeated, and a sample that is made again", async () => {
    const { stub, service } = await reporting();
    const sampler = await service.createSamplingClient({ base_model: "b" });
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    stub.script("optim_step", { status: 503, body: "" }, { status: 503, body: "" });
    await training.optimStep();
    stub.script("retrieve_future", { status: 410, body: { detail: "gone" } });
    await sampler.sample({ prompt: [...CANARY_TOKENS], sampling_params: { max_tokens: 1 } });
    await service.close();
    const repeats = named(stub, "InternalClientHolder.execute_with_retries.exception");
    expect(repeats.map(({ event_data }) => event_data?.attempt_count)).toEqual([0, 1]);
    expect(repeats[0]).toMatchObject({
      severity: "WARNING",
      event_data: {
        func: "TrainingClient.optim_step",
        status_code: 503,
        is_retryable: true,
        exception_type: "InternalServerError",
      },
    });
    const [attempt] = named(stub, "RetryHandler.execute.exception");
    expect(Object.keys(attempt?.event_data ?? {})).toEqual([
      ...[
        "func",
        "exception",
        "exception_type",
        "exception_stack",
        "status_code",
        "should_retry",
        "is_user_error",
      ],
      ...["attempt_count", "start_time", "current_time", "elapsed_time"],
    ]);
    expect(attempt).toMatchObject({
      event_data: { func: "SamplingClient.sample", status_code: 410, should_retry: true },
    });
  });

  it("is not told where the caller has given it up, or the client was closed", async () => {
    const { stub, service } = await reporting();
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    const usual = stub.usual("retrieve_future");
    stub.on("retrieve_future", () => ({ body: { type: "try_again" } }));
    const aborted = training.optimStep({}, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    const closed = training.optimStep();
    await closed.submitted;
    stub.on("retrieve_future", usual);
    await service.close();
    await expect(closed).rejects.toBeInstanceOf(ClosedError);
    expect(arrived(stub).map(({ event }) => event)).toEqual(["SESSION_START", "SESSION_END"]);
  });
});

describe("telemetry 12: a failing call", () => {
  it.each([
    ["hangs", () => new Promise<Reply>(() => {})],
    ["answers 404", () => ({ status: 404, body: "" })],
    ["answers 401", () => ({ status: 401, body: "" })],
    ["answers 500", () => ({ status: 500, body: "" })],
    ["drops the connection", () => ({ isReset: true })],
  ] as const)(
    "is told at once where the endpoint of telemetry %s, and so is one after the close",
    async (_, reply) => {
      const { stub, service, reporter } = await reporting();
      stub.on("telemetry", reply);
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      stub.on("optim_step", () => ({ status: 422, body: { detail: "no" } }));
      // The test would not end were an error to wait for an answer that never comes.
      for (let count = 0; count < 50; count += 1) {
        await expect(training.optimStep()).rejects.toBeInstanceOf(ApiStatusError);
      }
      await service.close();
      // newest-clients 51: nothing waits for telemetry that nobody sends any more.
      expect(() => training.optimStep()).toThrow(ClosedError);
      const { queued, sent, dropped } = reporter.stats;
      expect([queued, sent]).toEqual([0, 0]);
      expect(dropped).toBeGreaterThan(0);
      expect(stub.seen("telemetry").length).toBeLessThan(50);
    },
  );

  it("newest-clients 51: sends a batch once that is refused with 404, and 11 times where the service is not well", async () => {
    for (const [status, times] of [
      [404, 1],
      [503, 11],
    ] as const) {
      const { stub, service, reporter } = await reporting();
      stub.on("telemetry", () => ({ status, body: "" }));
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      reporter.logException(new Error("x"));
      while (reporter.stats.dropped === 0) await training.optimStep();
      expect(stub.seen("telemetry")).toHaveLength(times);
      expect(reporter.stats).toEqual({ queued: 0, sent: 0, dropped: 2 });
    }
  });

  it("newest-clients 51: sends what waits at the close, after the end of the session", async () => {
    const { stub, service, reporter } = await reporting();
    await service.connect();
    while (!reporter.log("evaluation", { n: 1 })) await new Promise((resolve) => setImmediate(resolve));
    await service.close();
    expect(arrived(stub).map(({ event }) => event)).toEqual([
      "SESSION_START",
      "GENERIC_EVENT",
      "SESSION_END",
    ]);
  });
});

describe("a client", () => {
  it("telemetry 2: reports nothing where the option says so, and alone without the package", async () => {
    for (const telemetry of [false, undefined] as const) {
      const { stub, service } = await reporting({ telemetry });
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      stub.script("optim_step", { status: 422, body: {} });
      await training.optimStep().catch(() => {});
      await service.close();
      expect(stub.seen("telemetry")).toEqual([]);
    }
  });

  it("telemetry 3: reports calls of its REST client without a session under an id of its own", async () => {
    const { stub, service } = await reporting();
    await service.rest.getTrainingRun("S:train:0").catch(() => {});
    await service.close();
    const [batch] = stub.seen("telemetry");
    expect(batch?.json?.session_id).toMatch(/^sessionless-/);
    expect(arrived(stub).map((event) => ("event_name" in event ? event.event_name : event.event))).toEqual([
      "InternalClientHolder.execute_with_retries.exception",
      "user_error",
    ]);
  });

  it("telemetry 13: holds no header, body, prompt or word of the service's in its telemetry", async () => {
    const { stub, service } = await reporting({
      env: { CLOUDFLARE_ACCESS_CLIENT_ID: "cf-id-7", CLOUDFLARE_ACCESS_CLIENT_SECRET: "cf-secret-7" },
    });
    const sampler = await service.createSamplingClient({ base_model: "b" });
    for (const status of [400, 401, 403, 404, 422]) {
      stub.script("asample", ({ body, headers }) => ({
        status,
        body: { detail: [body.toString(), headers["x-api-key"]] },
      }));
      await sampler
        .sample({ prompt: [...CANARY_TOKENS], sampling_params: { max_tokens: 1, stop: [CANARY_PROMPT] } })
        .catch(() => {});
    }
    await service.close();
    const text = JSON.stringify(stub.seen("telemetry").map(({ json }) => json));
    expect(arrived(stub).length).toBeGreaterThan(10);
    expect(findCanaries(text)).toEqual([]);
    expect(text).not.toMatch(/cf-secret-7|x-api-key|in-a-client|node_modules|\/src\//);
  });

  it("refuses what is no reporter", async () => {
    for (const telemetry of [1, "on", {}, null]) {
      expect(() => new ServiceClient({ env: {}, telemetry: telemetry as never })).toThrow(
        /ServiceClient: telemetry must be true, false or a reporter/,
      );
    }
  });

  it("reports with a reporter that throws no worse than without", async () => {
    const broken = {
      stats: { queued: 0, sent: 0, dropped: 0 },
      begin: (): never => {
        throw new Error("broken");
      },
    };
    const { service } = await reporting({ telemetry: broken });
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    expect((await training.optimStep()).metrics).toEqual({ grad_norm: 1 });
    await service.close();
  });
});
