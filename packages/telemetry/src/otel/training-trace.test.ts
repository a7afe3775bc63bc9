import { context, trace } from "@opentelemetry/api";
import { ServiceClient, type TrainingClient } from "@tinkex/client";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Metrics } from "../log/metrics-logger.js";
import { onMetrics } from "../log/on-metrics.js";
import { SCHEMA_URL } from "./conventions.js";
import { instrument } from "./instrument.js";
import { serverTracer } from "./server-tracer.js";
import { type InterceptingProxy, startProxy } from "./testing/intercepting-proxy.js";
import { drawTree, type ReceivedSpan } from "./testing/otlp-receiver.js";
import { startTracing, type Tracing } from "./testing/tracing.js";

const MODEL = "tinkex/pocket-1";
const DATUM = { model_input: [1, 2, 3], loss_fn_inputs: { target_tokens: [2, 3, 4] } };
const ADAM = { learning_rate: 1e-4 };
/** Each datum is a request of its own. */
const ONE_A_CHUNK = { fwdbwd_max_chunk_len: 1, sample_use_retrieve_futures: true };

let server: LocalServer;
beforeAll(async () => {
  server = await startLocalServer({ seed: 1, tracer: serverTracer() });
});
afterAll(() => server.close());

interface Traced {
  readonly tracing: Tracing;
  readonly proxy: InterceptingProxy;
  readonly training: TrainingClient;
  readonly undo: () => void;
}

/** A training client whose calls are traced from here on. */
async function openTraced(config: object = {}): Promise<Traced> {
  const tracing = await startTracing();
  const proxy = await startProxy(server.url);
  proxy.answer("config", { status: 200, body: config });
  const service = new ServiceClient({ baseUrl: proxy.url, apiKey: "tml-test", env: {} });
  onTestFinished(() => service.close());
  const training = await service.createLoraTrainingClient({ base_model: MODEL, rank: 4 });
  const undo = instrument();
  onTestFinished(undo);
  return { tracing, proxy, training, undo };
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
