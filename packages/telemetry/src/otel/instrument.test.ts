import { AsyncLocalStorage } from "node:async_hooks";
import { execFileSync } from "node:child_process";
import { channel, subscribe, tracingChannel, unsubscribe } from "node:diagnostics_channel";
import * as api from "@opentelemetry/api";
import { context, trace } from "@opentelemetry/api";
import { ServiceClient } from "@tinkex/client";
import { type LocalServer, startLocalServer } from "@tinkex/local";
import { CHUNK_CHANNEL, CONTENT_CHANNEL, EVENT_CHANNELS } from "@tinkex/types";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ContextStore } from "./context-store.js";
import { instrument } from "./instrument.js";
import { loadApi } from "./load-api.js";
import { serverTracer } from "./server-tracer.js";
import { startProxy } from "./testing/intercepting-proxy.js";
import { startTracing } from "./testing/tracing.js";

let server: LocalServer;
beforeAll(async () => {
  server = await startLocalServer({ seed: 1 });
});
afterAll(() => server.close());

async function openService() {
  const proxy = await startProxy(server.url);
  const service = new ServiceClient({ baseUrl: proxy.url, apiKey: "tml-test", env: {} });
  onTestFinished(() => service.close());
  await service.connect();
  return { proxy, service };
}

/** Names of the channels that somebody subscribes to. */
function heardChannels(): string[] {
  const plain = [...Object.values(EVENT_CHANNELS), CONTENT_CHANNEL].filter(
    (name) => channel(name).hasSubscribers,
  );
  const traced = [...Object.values(EVENT_CHANNELS), CHUNK_CHANNEL].filter((name) => {
    const { start, end, asyncStart, asyncEnd, error } = tracingChannel(name);
    return [start, end, asyncStart, asyncEnd, error].some(({ hasSubscribers }) => hasSubscribers);
  });
  return [...plain, ...traced.map((name) => `${name} traced`)];
}

/** Timers that would keep the process alive, or not. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

describe("instrument", () => {
  it("leaves no subscriber, no timer and no open span behind once it is undone", async () => {
    const tracing = await startTracing();
    const { service } = await openService();
    expect(heardChannels()).toEqual([]);
    const before = timers();
    const undo = instrument({ content: true });
    expect(heardChannels()).toHaveLength(7);
    expect(timers()).toBe(before);
    const asked = service.getServerCapabilities();
    undo();
    undo();
    await asked;
    await service.getServerCapabilities();
    expect(heardChannels()).toEqual([]);
    const names = (await tracing.spans()).map(({ name }) => name);
    expect(names.filter((name) => name === "tinker.get_server_capabilities")).toHaveLength(1);
  });

  it("leaves no store that Node would carry on through all that is asynchronous", async () => {
    await startTracing();
    const { service } = await openService();
    const disabled = vi.spyOn(AsyncLocalStorage.prototype, "disable");
    onTestFinished(() => void disabled.mockRestore());
    const undo = instrument();
    await service.getServerCapabilities();
    expect(disabled).not.toHaveBeenCalled();
    undo();
    const [store] = disabled.mock.contexts;
    expect(store).toBeInstanceOf(ContextStore);
  });

  it("makes spans of a tracer that it is given, where nothing is registered", async () => {
    const tracing = await startTracing();
    const tracer = trace.getTracer("own");
    context.disable();
    const { service, proxy } = await openService();
    const undo = instrument({ tracer });
    await service.getServerCapabilities();
    undo();
    const spans = await tracing.spans();
    const request = spans.find(({ name }) => name === "GET get_server_capabilities");
    const operation = spans.find(({ name }) => name === "tinker.get_server_capabilities");
    expect(request?.parentSpanId).toBe(operation?.spanId);
    expect(proxy.requests.at(-1)?.headers.traceparent).toBe(`00-${request?.traceId}-${request?.spanId}-01`);
  });

  it("lets those send traceparent who instrument undici, unless it is told to", async () => {
    await startTracing();
    const { service, proxy } = await openService();
    const hear = (): void => {};
    subscribe("undici:request:create", hear);
    onTestFinished(() => void unsubscribe("undici:request:create", hear));
    const sent: (string | undefined)[] = [];
    for (const options of [{}, { propagate: true }, { propagate: false }]) {
      const undo = instrument(options);
      await service.getServerCapabilities();
      undo();
      sent.push(proxy.requests.at(-1)?.headers.traceparent?.toString().slice(0, 3));
    }
    expect(sent).toEqual([undefined, "00-", undefined]);
  });

  it("is the parent of spans that others make while a request leaves", async () => {
    const tracing = await startTracing();
    const { service } = await openService();
    const ids: (string | undefined)[] = [];
    const hear = (): void => void ids.push(trace.getActiveSpan()?.spanContext().spanId);
    subscribe("undici:request:create", hear);
    onTestFinished(() => void unsubscribe("undici:request:create", hear));
    const undo = instrument();
    await service.getServerCapabilities();
    undo();
    const request = (await tracing.spans()).find(({ name }) => name === "GET get_server_capabilities");
    expect(request?.kind).toBe("internal");
    expect(ids).toContain(request?.spanId);
  });

  it("changes no call when the tracer throws", async () => {
    const { service } = await openService();
    const undo = instrument({
      tracer: {
        startSpan: () => {
          throw new Error("full");
        },
        startActiveSpan: () => {
          throw new Error("full");
        },
      },
    });
    onTestFinished(undo);
    const { supported_models } = await service.getServerCapabilities();
    expect(supported_models.map(({ model_name }) => model_name)).toContain("tinkex/pocket-1");
  });

  it.each([
    [
      { content: "yes" },
      'instrument: content must be true, false or a function that decodes tokens, got "yes"',
    ],
    [{ propagate: 1 }, "instrument: propagate must be true or false, got 1"],
    [{ tracer: {} }, "instrument: tracer.startSpan must be a function, got undefined"],
    [{ meter: 1 }, "instrument: meter must be an object"],
    [{ trace: 1 }, 'the options of instrument: unknown field "trace"'],
  ])("refuses %j", (options, message) => {
    expect(() => instrument(options as never)).toThrow(message);
    expect(heardChannels()).toEqual([]);
  });
});

describe("serverTracer", () => {
  it.each([
    [{ tracer: 1 }, "serverTracer: tracer must be an object"],
    [{ tracer: {} }, "serverTracer: tracer.startSpan must be a function, got undefined"],
    [{ spans: 1 }, 'the options of serverTracer: unknown field "spans"'],
  ])("refuses %j", (options, message) => {
    expect(() => serverTracer(options as never)).toThrow(message);
  });
});

/** Throws what Node's loader says in a process that has no packages; this one has those of the workspace wherever it looks. */
function requireNowhere(name: string): never {
  const program = `
    try { require("node:module").createRequire("file:///nowhere/index.js")(${JSON.stringify(name)}); }
    catch ({ code, message }) { console.log(JSON.stringify({ code, message })); }`;
  const told = JSON.parse(execFileSync(process.execPath, ["--eval", program], { env: {}, encoding: "utf8" }));
  throw Object.assign(new Error(told.message), { code: told.code });
}

describe("the peer @opentelemetry/api", () => {
  it("is asked for with the install command where it is not installed", () => {
    expect(() => loadApi(requireNowhere)).toThrow(
      "@tinkex/telemetry/otel needs @opentelemetry/api, which is not installed. Install it: npm install @opentelemetry/api",
    );
  });

  it("is told of where it is broken", () => {
    const broken = (): never => {
      throw new SyntaxError("half a file");
    };
    expect(() => loadApi(broken)).toThrow("which cannot be loaded (half a file). Install it:");
  });

  it("names a part that the installed version lacks, before a call can fail for it", () => {
    const lacking = (more: object) => () => loadApi(() => ({ ...api, ...more }));
    expect(lacking({})).not.toThrow();
    for (const part of [
      "context",
      "diag",
      "metrics",
      "trace",
      "SpanKind",
      "ROOT_CONTEXT",
      "createTraceState",
    ]) {
      expect(lacking({ [part]: undefined })).toThrow(
        new RegExp(`needs @opentelemetry/api \\^1.9.0, and the one that is installed has no ${part}`),
      );
    }
    expect(() => loadApi(() => null)).toThrow(/has no context.active. Install it: npm install/);
  });
});
