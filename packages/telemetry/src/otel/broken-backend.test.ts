import { channel, tracingChannel } from "node:diagnostics_channel";
import {
  type ContextManager,
  context,
  DiagLogLevel,
  diag,
  type Meter,
  ROOT_CONTEXT,
  type Span,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { silentLogger } from "@tinkex/base";
import { CHUNK_CHANNEL, CONTENT_CHANNEL, EVENT_CHANNELS } from "@tinkex/types";
import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ServiceClient } from "../../../client/src/service/service-client.js";
import { StubService } from "../../../client/src/testing/stub-service.js";
import { instrument } from "./instrument.js";

const DATUM = { model_input: [1, 2], loss_fn_inputs: { target_tokens: [2, 3] } };

beforeEach(failOnUnhandledErrors);
afterEach(() => diag.disable());

function throwing(what: string): never {
  throw new Error(`${what} is broken`);
}

/** Spans of which one method throws, or all of them. */
function brokenTracer(broken: (method: string) => boolean): { readonly tracer: Tracer; ended(): number[] } {
  let started = 0;
  let ended = 0;
  const real = trace.wrapSpanContext({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 });
  const startSpan = (): Span => {
    if (broken("startSpan")) throwing("startSpan");
    started += 1;
    return new Proxy(real, {
      get: (_, name) => {
        if (name === "end") ended += 1;
        return broken(String(name)) ? () => throwing(String(name)) : Reflect.get(real, name).bind(real);
      },
    });
  };
  return {
    tracer: { startSpan, startActiveSpan: () => throwing("startActiveSpan") },
    ended: () => [started, ended],
  };
}

/** A meter whose instruments throw. */
function brokenMeter(): Meter {
  const make = (): object => ({ add: () => throwing("add"), record: () => throwing("record") });
  return { createHistogram: make, createCounter: make, createUpDownCounter: make } as unknown as Meter;
}

/** Steps, one of them with a repeat and one that fails, and a sample. */
async function run(): Promise<unknown[]> {
  const stub = await StubService.start();
  const retry = { firstDelayMs: 1, maxDelayMs: 1 };
  const service = new ServiceClient({
    baseUrl: stub.url,
    env: {},
    telemetry: false,
    logger: silentLogger,
    retry,
  });
  const training = await service.createLoraTrainingClient({ base_model: "b" });
  const sampler = await service.createSamplingClient({ base_model: "b" });
  const results: unknown[] = [];
  stub.script("optim_step", { status: 503, body: { detail: "busy" } });
  results.push(await training.forwardBackward([DATUM], "cross_entropy"), await training.optimStep());
  stub.script("forward_backward", { status: 400, body: { detail: "no" } });
  results.push(await training.forwardBackward([DATUM], "cross_entropy").then(String, () => "failed"));
  results.push(await training.optimStep());
  results.push((await sampler.sample({ prompt: [1], sampling_params: { max_tokens: 1 } })).sequences);
  await service.close();
  await stub.close();
  return results;
}

function heardChannels(): string[] {
  const names = [...Object.values(EVENT_CHANNELS), CONTENT_CHANNEL, CHUNK_CHANNEL];
  return names.filter((name) => {
    const { start, asyncEnd } = tracingChannel(name);
    return channel(name).hasSubscribers || start.hasSubscribers || asyncEnd.hasSubscribers;
  });
}

const METHODS = ["startSpan", "spanContext", "setAttribute", "setAttributes", "setStatus", "addEvent", "end"];

/** Expects that spans were begun, and that each has ended. @param ended - gives both counts */
async function expectAllEnded(ended: () => readonly number[]): Promise<void> {
  await new Promise(setImmediate);
  const [started = 0, closed] = ended();
  expect(started).toBeGreaterThan(8);
  expect(closed).toBe(started);
}

describe("a backend of OpenTelemetry that throws", () => {
  let plain: unknown[];
  beforeAll(async () => {
    plain = await run();
  });

  it.each([...METHODS, "every method"])(
    "in %s changes no call, reaches nobody, and can be undone",
    async (method) => {
      const { tracer } = brokenTracer((name) => method === "every method" || name === method);
      const undo = instrument({ tracer, content: true });
      expect(await run()).toEqual(plain);
      undo();
      expect(heardChannels()).toEqual([]);
    },
  );

  it("in its meter loses no span, and can be undone", async () => {
    const { tracer, ended } = brokenTracer(() => false);
    const undo = instrument({ tracer, meter: brokenMeter() });
    expect(await run()).toEqual(plain);
    await expectAllEnded(ended);
    undo();
    expect(heardChannels()).toEqual([]);
  });

  it.each(["active", "with", "both"])("in its context manager's %s changes no call", async (broken) => {
    const manager: ContextManager = {
      active: () => (broken === "with" ? ROOT_CONTEXT : throwing("active")),
      with: (_, work, self, ...given) =>
        broken === "active" ? work.call(self as never, ...given) : throwing("with"),
      bind: (_, target) => target,
      enable: () => manager,
      disable: () => manager,
    };
    context.setGlobalContextManager(manager);
    const { tracer, ended } = brokenTracer(() => false);
    const undo = instrument({ tracer });
    expect(await run()).toEqual(plain);
    await expectAllEnded(ended);
    undo();
    context.disable();
    expect(heardChannels()).toEqual([]);
  });

  it("in the logger that hears of it, too, changes no call", async () => {
    const fail = (): never => throwing("the logger");
    const logger = { error: fail, warn: fail, info: fail, debug: fail, verbose: fail };
    diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
    const undo = instrument({ tracer: brokenTracer(() => true).tracer, meter: brokenMeter() });
    expect(await run()).toEqual(plain);
    undo();
    expect(heardChannels()).toEqual([]);
  });
});
