import { context, trace } from "@opentelemetry/api";
import { ServiceClient, type TrainingClient } from "@tinkex/client";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { CANARY_KEY, CANARY_PROMPT } from "@tinkex-tooling/canary";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Metrics } from "../log/metrics-logger.js";
import { onMetrics } from "../log/on-metrics.js";
import { SCHEMA_URL } from "./conventions.js";
import { instrument } from "./instrument.js";
import { serverTracer } from "./server-tracer.js";
import { startCollector } from "./testing/collector.js";
import { type InterceptingProxy, startProxy } from "./testing/intercepting-proxy.js";
import { drawTree, type ReceivedSpan, startReceiver } from "./testing/otlp-receiver.js";
import { startTracing, type Tracing } from "./testing/tracing.js";

const MODEL = "tinkex/pocket-1";
const DATUM = { model_input: [1, 2, 3], loss_fn_inputs: { target_tokens: [2, 3, 4] } };
const ADAM = { learning_rate: 1e-4 };
/** Path of an OpenTelemetry collector, where one is to be tried; docs/observability.md tells how to build one. */
const COLLECTOR = process.env.TINKEX_OTEL_COLLECTOR ?? "";
if (COLLECTOR === "") console.info("no collector of OpenTelemetry: name one in TINKEX_OTEL_COLLECTOR");
/** Each datum is a request of its own. */
const ONE_A_CHUNK = { fwdbwd_max_chunk_len: 1, sample_use_retrieve_futures: true };

let server: LocalServer;
beforeAll(async () => {
  server = await startLocalServer({ seed: 1, tracer: serverTracer() });
});
afterAll(() => server.close());

interface Traced {
  readonly tracing: Tracing;
  readonly service: ServiceClient;
  readonly proxy: InterceptingProxy;
  readonly training: TrainingClient;
  readonly undo: () => void;
}

/** A training client whose calls are traced from here on. */
async function openTraced(config: object = {}, through?: Tracing): Promise<Traced> {
  const tracing = through ?? (await startTracing());
  const proxy = await startProxy(server.url);
  proxy.answer("config", { status: 200, body: config });
  const service = new ServiceClient({ baseUrl: proxy.url, apiKey: CANARY_KEY, env: {} });
  onTestFinished(() => service.close());
  const training = await service.createLoraTrainingClient({ base_model: MODEL, rank: 4 });
  const undo = instrument();
  onTestFinished(undo);
  return { tracing, service, proxy, training, undo };
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined)
    throw new Error(`no span ${name} among ${spans.map((span) => span.name).join(", ")}`);
  return found;
};

/** Lines of a tree without polls, of which there are as many as the arithmetic takes. */
const withoutPolls = (lines: readonly string[]): string[] =>
  lines.filter((line) => !line.includes("retrieve_future"));

describe("a trace of training", () => {
  it("has a whole step in one tree: passes with their chunks, the optimizer, requests, queue, and the server's part", async () => {
    const { tracing, training, undo } = await openTraced(ONE_A_CHUNK);
    const pass = training.forwardBackward([DATUM, DATUM], "cross_entropy");
    const step = training.optimStep(ADAM);
    await Promise.all([pass, step]);
    undo();
    const spans = await tracing.spans();
    const root = named(spans, `tinker.step ${MODEL}`);
    const tree = withoutPolls(drawTree(spans, root));
    const chunk = (compiles: boolean): string[] => [
      "    tinker.chunk forward_backward",
      "      POST forward_backward",
      "        tinker.server forward_backward",
      "          tinker.server.queue",
      ...(compiles ? ["          tinker.server.compile"] : []),
      "          tinker.server.run",
      "      tinker.queue ForwardBackward",
    ];
    const sorted = (lines: readonly string[]): string[] => [...lines].sort();
    // The chunks go out side by side, in any order.
    expect(sorted(tree)).toEqual(
      sorted([
        `tinker.step ${MODEL}`,
        `  tinker.forward_backward ${MODEL}`,
        ...chunk(true),
        ...chunk(false),
        `  tinker.optim_step ${MODEL}`,
        "    POST optim_step",
        "      tinker.server optim_step",
        "        tinker.server.queue",
        "        tinker.server.run",
        "    tinker.queue OptimStep",
      ]),
    );
    const others = spans.filter(({ traceId }) => traceId !== root.traceId).map(({ name }) => name);
    // The model was made before the client was traced.
    expect(others).toEqual(["tinker.server.run", "tinker.server create_model"]);
    expect(named(spans, `tinker.forward_backward ${MODEL}`)).toMatchObject({
      kind: "internal",
      hasFailed: false,
      schemaUrl: SCHEMA_URL,
      attributes: {
        "tinker.method": "forwardBackward",
        "tinker.run_id": training.modelId,
        "tinker.loss_fn": "cross_entropy",
        "tinker.datums": 2,
        "tinker.tokens": 6,
        "tinker.seq_id": 1,
        "gen_ai.request.model": MODEL,
        "server.address": "127.0.0.1",
        "tinker.metric.loss:sum": (await pass).metrics["loss:sum"],
      },
    });
    expect(named(spans, "tinker.server forward_backward").kind).toBe("server");
    // A parent ends after its children, but for the server, which has no part in the order of the client's.
    for (const [place, child] of spans.entries()) {
      const parent = spans.findIndex(({ spanId }) => spanId === child.parentSpanId);
      if (parent >= 0 && child.kind !== "server") expect(parent, child.name).toBeGreaterThan(place);
    }
    expect(await tracing.metric("tinker.step.duration")).toMatchObject([{ value: 1 }]);
    expect(await tracing.metric("tinker.training.tokens")).toMatchObject([{ value: 6 }]);
    const depths = await tracing.metric("tinker.queue.depth");
    expect(depths.map(({ value }) => value)).toEqual(depths.map(() => 0));
    expect(depths).toHaveLength(2);
  });

  it("shows a retry as two children, and what made it one", async () => {
    const { tracing, proxy, training, undo } = await openTraced();
    proxy.answer("optim_step", { status: 503, body: { detail: "busy" } }, undefined);
    await training.optimStep(ADAM);
    undo();
    const spans = await tracing.spans();
    const root = named(spans, `tinker.optim_step ${MODEL}`);
    const tries = spans.filter(({ name }) => name === "POST optim_step");
    expect(tries.map(({ parentSpanId }) => parentSpanId)).toEqual([root.spanId, root.spanId]);
    expect(tries.map(({ kind, hasFailed, attributes }) => ({ kind, hasFailed, attributes }))).toMatchObject([
      {
        kind: "client",
        hasFailed: true,
        attributes: { "http.request.method": "POST", "http.response.status_code": 503, "error.type": "503" },
      },
      {
        hasFailed: false,
        attributes: { "http.response.status_code": 200, "http.request.resend_count": 1 },
      },
    ]);
    expect(root.hasFailed).toBe(false);
    expect(root.events).toMatchObject([
      { name: "tinker.retry", attributes: { "tinker.outcome": "answered 503", "tinker.attempts": 1 } },
    ]);
    const sent = proxy.requests.filter(({ endpoint }) => endpoint === "optim_step");
    expect(sent.map(({ headers }) => headers.traceparent)).toEqual(
      tries.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
    );
  });

  it("tells pipelined steps apart, and hangs below the span that the program has open", async () => {
    const { tracing, training, undo } = await openTraced();
    const rows: [number, Metrics][] = [];
    onTestFinished(onMetrics((metrics, step) => rows.push([step, metrics]), { modelId: training.modelId }));
    const epoch = trace.getTracer("program").startSpan("epoch");
    await context.with(trace.setSpan(context.active(), epoch), () =>
      Promise.all([
        training.forwardBackward([DATUM], "cross_entropy"),
        training.optimStep(ADAM),
        training.forwardBackward([DATUM], "cross_entropy"),
        training.optimStep(ADAM),
      ]),
    );
    epoch.end();
    undo();
    // The log of the same steps, which came from the same messages.
    expect(rows).toEqual(
      [0, 1].map((step) => [step, expect.objectContaining({ "loss:sum": expect.any(Number) })]),
    );
    const spans = await tracing.spans();
    const steps = spans.filter(({ name }) => name === `tinker.step ${MODEL}`);
    const epochId = named(spans, "epoch").spanId;
    expect(steps.map(({ parentSpanId }) => parentSpanId)).toEqual([epochId, epochId]);
    for (const { spanId } of steps) {
      const children = spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name);
      expect(children.sort()).toEqual([`tinker.forward_backward ${MODEL}`, `tinker.optim_step ${MODEL}`]);
    }
  });

  it("ends a step whose pass has failed, with the class of the error and without its words", async () => {
    const { tracing, proxy, training, undo } = await openTraced();
    proxy.answer("forward_backward", { status: 400, body: { detail: "canary words of a prompt" } });
    await expect(training.forwardBackward([DATUM], "cross_entropy")).rejects.toThrow("canary words");
    await training.trainStep([DATUM], "cross_entropy", ADAM);
    undo();
    const spans = await tracing.spans();
    expect(named(spans, `tinker.step ${MODEL}`)).toMatchObject({ hasFailed: true, parentSpanId: undefined });
    for (const name of [`tinker.forward_backward ${MODEL}`, "tinker.chunk forward_backward"]) {
      expect(named(spans, name)).toMatchObject({
        hasFailed: true,
        attributes: { "error.type": "bad_request" },
      });
    }
    // `trainStep` is a step by itself.
    expect(named(spans, `tinker.train_step ${MODEL}`)).toMatchObject({
      hasFailed: false,
      parentSpanId: undefined,
    });
    expect(
      JSON.stringify(spans, (_, value) => (typeof value === "bigint" ? Number(value) : value)),
    ).not.toContain("canary words");
    expect(await tracing.metric("tinker.step.duration")).toMatchObject([{ value: 1 }]);
  });
});

describe.skipIf(COLLECTOR === "")("a collector of OpenTelemetry that the SDK sends to", () => {
  it("has the tree of a step, a repeat as two children, and a sample without its contents", async () => {
    const receiver = await startReceiver();
    const collector = await startCollector(COLLECTOR, receiver.url);
    const through = await startTracing(receiver, collector.url);
    const { tracing, service, proxy, training, undo } = await openTraced(ONE_A_CHUNK, through);
    const sampler = await service.createSamplingClient({ base_model: MODEL });
    proxy.answer("optim_step", { status: 503, body: { detail: CANARY_PROMPT } }, undefined);
    await Promise.all([training.forwardBackward([DATUM, DATUM], "cross_entropy"), training.optimStep(ADAM)]);
    const prompt = [...CANARY_PROMPT].map((letter) => letter.codePointAt(0) ?? 0);
    const sampling_params = {
      max_tokens: 3,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 7,
      seed: 11,
      stop: [CANARY_PROMPT],
    };
    await sampler.sample({ prompt, num_samples: 2, sampling_params });
    undo();
    const spans = await tracing.spans();
    const tree = withoutPolls(drawTree(spans, named(spans, `tinker.step ${MODEL}`)));
    const chunk = [
      "    tinker.chunk forward_backward",
      "      POST forward_backward",
      "        tinker.server forward_backward",
      "          tinker.server.queue",
      "          tinker.server.run",
      "      tinker.queue ForwardBackward",
    ];
    // The first test has compiled, unless it was left out.
    expect(tree.filter((line) => !line.endsWith("compile")).sort()).toEqual(
      [
        `tinker.step ${MODEL}`,
        `  tinker.forward_backward ${MODEL}`,
        ...chunk,
        ...chunk,
        `  tinker.optim_step ${MODEL}`,
        "    POST optim_step failed",
        "    POST optim_step",
        "      tinker.server optim_step",
        "        tinker.server.queue",
        "        tinker.server.run",
        "    tinker.queue OptimStep",
      ].sort(),
    );
    const tries = spans.filter(({ name }) => name === "POST optim_step");
    expect(tries.map(({ attributes }) => attributes)).toMatchObject([
      { "http.response.status_code": 503 },
      { "http.response.status_code": 200, "http.request.resend_count": 1 },
    ]);
    expect(named(spans, `text_completion ${MODEL}`)).toMatchObject({
      kind: "client",
      schemaUrl: SCHEMA_URL,
      attributes: {
        "gen_ai.operation.name": "text_completion",
        "gen_ai.provider.name": "tinker",
        "gen_ai.request.model": MODEL,
        "gen_ai.request.max_tokens": 3,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.top_k": 7,
        "gen_ai.request.seed": 11,
        "gen_ai.request.choice.count": 2,
        "gen_ai.usage.input_tokens": prompt.length,
        "gen_ai.usage.output_tokens": expect.any(Number),
        "gen_ai.response.finish_reasons": [expect.any(String), expect.any(String)],
        "gen_ai.response.id": expect.any(String),
      },
    });
    const output = collector.output();
    expect(output).toContain(`text_completion ${MODEL}`);
    for (const secret of [CANARY_PROMPT, CANARY_KEY, prompt.join(",")]) expect(output).not.toContain(secret);
  });
});
