import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import {
  AbortedError,
  ClosedError,
  deferred,
  TimeoutError,
  ValidationError,
  type WaitLimits,
} from "@tinkex/base";
import { FakeClock, settle } from "@tinkex/base/testing";
import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { until } from "../testing/open-service.js";
import { RecordingLogger } from "../testing/recording-logger.js";
import type { ApiFuture } from "./api-future.js";
import { ClientLifecycle } from "./client-lifecycle.js";
import type { OperationContext, QueueStateEvent } from "./operation-context.js";

let clock: FakeClock;
let logger: RecordingLogger;
let live: ClientLifecycle;

beforeEach(failOnUnhandledErrors);
beforeEach(() => {
  clock = new FakeClock();
  logger = new RecordingLogger();
  live = new ClientLifecycle("TrainingClient", "the training client", { clock, logger });
});

function start<T>(run: (work: OperationContext) => Promise<T>, limits: WaitLimits = {}): ApiFuture<T> {
  return live.start("optimStep", limits, run);
}

const never = (): Promise<never> => new Promise(() => {});

describe("ApiFuture", () => {
  it("clients 65, 68: starts at once, gives the result, and the same one again", async () => {
    let runs = 0;
    const future = start(async () => {
      runs += 1;
      return { metrics: {} };
    });
    expect(runs).toBe(1);
    const result = await future;
    expect(await future).toBe(result);
    expect(await future.result()).toBe(result);
    expect(runs).toBe(1);
  });

  it("tells when it was accepted, and under which id, before the result is there", async () => {
    const result = deferred<string>();
    const future = start(async (work) => {
      await settle();
      work.accepted("r1");
      work.accepted("r2");
      work.submitted();
      return result.promise;
    });
    expect(future.requestId).toBeUndefined();
    await future.submitted;
    expect(future.requestId).toBe("r1");
    result.resolve("done");
    expect(await future).toBe("done");
  });

  it("tells whoever asks for `submitted` late what became of it first", async () => {
    let work: OperationContext | undefined;
    const run = async (context: OperationContext): Promise<never> => {
      work = context;
      throw new Error("refused");
    };
    const refused = start(run);
    await expect(refused).rejects.toThrow("refused");
    // A part of the work that goes on after it was given up.
    work?.submitted();
    await expect(refused.submitted).rejects.toThrow("refused");

    const failed = start(async (context) => {
      context.submitted();
      throw new Error("failed on the service");
    });
    await expect(failed).rejects.toThrow("failed");
    expect(await failed.submitted).toBeUndefined();
    expect(await start(async () => 1).then(() => failed.submitted)).toBeUndefined();
  });

  it("rejects `submitted` when the operation fails before", async () => {
    const future = start(() => Promise.reject(new Error("refused")));
    await expect(future.submitted).rejects.toThrow("refused");
    await expect(future).rejects.toThrow("refused");
  });

  it("clients 67, transport 54, BR-017: a failure that nobody awaits is logged and ends nothing; a late await throws it", async () => {
    const future = start(() => Promise.reject(new Error("boom")));
    await until(() => logger.lines.length > 0, "the line");
    expect(logger.lines).toEqual(["warn: optimStep failed and nobody is waiting for it yet: boom"]);
    const first = await future.catch((error: unknown) => error);
    const second = await future.result().catch((error: unknown) => error);
    expect(first).toBe(second);
  });

  it("failures that nobody awaits and that come together share one line with their number", async () => {
    const failing = (): ApiFuture<string> => start(() => Promise.reject(new Error("boom")));
    const futures = Array.from({ length: 30 }, failing);
    // Somebody waits for this one by the time that the line is due.
    futures[0]?.catch(() => {});
    await until(() => logger.lines.length > 0, "the line");
    expect(logger.lines).toEqual([
      "warn: 29 operations failed and nobody is waiting for them yet, the first of them optimStep: boom",
    ]);
    failing();
    await until(() => logger.lines.length > 1, "another line");
    expect(logger.lines[1]).toBe("warn: optimStep failed and nobody is waiting for it yet: boom");
  });

  it("an async listener that rejects is a line in the log", async () => {
    const result = deferred<string>();
    const future = start(async (work) => {
      await settle();
      work.queueState({ state: "active", reason: undefined, requestId: "r", requestType: "OptimStep" });
      return result.promise;
    });
    future.on("queueState", async () => {
      throw new Error("listener");
    });
    await until(() => logger.lines.length > 0, "the line");
    expect(logger.lines).toEqual(["warn: a queueState listener of optimStep threw"]);
    result.resolve("done");
    expect(await future).toBe("done");
  });

  it("knows whether somebody waits: a wait that has ended does not count", async () => {
    const result = deferred<string>();
    let context: OperationContext | undefined;
    const future = start(async (work) => {
      context = work;
      return result.promise;
    });
    expect(context?.isAwaited()).toBe(false);
    const wait = expect(future.result({ timeoutMs: 1_000 })).rejects.toBeInstanceOf(TimeoutError);
    expect(context?.isAwaited()).toBe(true);
    await clock.advance(1_000);
    await wait;
    await settle();
    expect(context?.isAwaited()).toBe(false);
    const waiting = future.then((value) => value);
    expect(context?.isAwaited()).toBe(true);
    result.resolve("done");
    expect(await waiting).toBe("done");
  });

  it("clients 66: a wait that times out leaves the operation alone", async () => {
    const result = deferred<string>();
    const future = start(async (work) => {
      work.sending();
      work.accepted("r1");
      work.queueState({
        state: "paused_capacity",
        reason: "busy",
        requestId: "r1",
        requestType: "OptimStep",
      });
      return result.promise;
    });
    const wait = future.result({ timeoutMs: 2000 });
    const outcome = wait.catch((error: unknown) => error);
    await clock.advance(2000);
    const error = await outcome;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({
      requestId: "r1",
      timeoutMs: 2000,
      message: expect.stringMatching(/r1.*no result after 2\.0 s.*paused_capacity \(busy\)/),
    });
    result.resolve("done");
    expect(await future).toBe("done");
    expect(clock.sleeping).toBe(0);
  });

  it("BR-010: a limit of the operation itself ends it", async () => {
    let signal: AbortSignal | undefined;
    const future = start(
      (work) => {
        signal = work.signal;
        return never();
      },
      { timeoutMs: 500 },
    );
    const outcome = future.catch((error: unknown) => error);
    await clock.advance(500);
    expect(await outcome).toBeInstanceOf(TimeoutError);
    expect(signal?.aborted).toBe(true);
    expect(live.size).toBe(0);
  });

  it("ends with the caller's reason when its signal aborts, and lets go of the signal", async () => {
    const controller = new AbortController();
    const future = start(never, { signal: controller.signal });
    const reason = new Error("stop");
    controller.abort(reason);
    await expect(future).rejects.toBeInstanceOf(AbortedError);
    await expect(future).rejects.toMatchObject({ cause: reason });
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("does not even start under a signal that aborted before", async () => {
    let runs = 0;
    const run = async (): Promise<void> => {
      runs += 1;
    };
    await expect(start(run, { signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortedError);
    expect(runs).toBe(0);
  });

  it("BR-019: leaves no listener on a signal shared by many operations", async () => {
    const controller = new AbortController();
    const results = Array.from({ length: 200 }, (_, index) =>
      start(async () => index, { signal: controller.signal }),
    );
    await Promise.all(results);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("cancel() before anything was sent calls the operation off", async () => {
    const future = start(never);
    expect(await future.cancel()).toBe(true);
    await expect(future).rejects.toThrow("optimStep (not sent yet) was cancelled");
  });

  it("cancel() after that asks the server, if it can be asked", async () => {
    const sent = start((work) => {
      work.sending();
      return never();
    });
    expect(await sent.cancel()).toBe(false);
    await expect(sent).rejects.toBeInstanceOf(AbortedError);
    const asked = start((work) => {
      work.sending();
      work.onCancel(async () => true);
      return never();
    });
    expect(await asked.cancel()).toBe(true);
    await expect(asked).rejects.toBeInstanceOf(AbortedError);
  });

  it("cancel() never rejects: a server that cannot be told counts as one that was not", async () => {
    const future = start((work) => {
      work.sending();
      work.onCancel(async () => {
        throw new Error("refused");
      });
      return never();
    });
    expect(await future.cancel()).toBe(false);
    await expect(future).rejects.toBeInstanceOf(AbortedError);
    expect(logger.lines).toEqual([]);
  });

  it("ends whatever else the work has running when it fails", async () => {
    const reason = new Error("one of its parts failed");
    let signal: AbortSignal | undefined;
    const future = start(async (work) => {
      signal = work.signal;
      await Promise.all([never(), Promise.reject(reason)]);
    });
    await expect(future).rejects.toBe(reason);
    expect(signal?.reason).toBe(reason);
  });

  it("cancel() of a settled operation does nothing", async () => {
    const future = start(async () => 1);
    await future;
    expect(await future.cancel()).toBe(false);
    expect(await future).toBe(1);
  });

  it("a listener that adds another one at each state ends nothing but its own call", async () => {
    let tell: (event: QueueStateEvent) => void = () => {};
    const future = start((work) => {
      tell = (event) => work.queueState(event);
      return never();
    });
    let calls = 0;
    const listen = (): void => {
      calls += 1;
      if (calls < 50) future.on("queueState", () => listen());
    };
    future.on("queueState", listen);
    const event = { state: "active", reason: undefined, requestId: "r1", requestType: "OptimStep" };
    tell(event);
    expect(calls).toBe(1);
    tell(event);
    expect(calls).toBe(3);
    await future.cancel();
  });

  it("passes queue states to its listeners until they leave, and survives one that throws", async () => {
    let tell: (event: QueueStateEvent) => void = () => {};
    const future = start((work) => {
      tell = (event) => work.queueState(event);
      return never();
    });
    const seen: string[] = [];
    future.on("queueState", () => {
      throw new Error("listener");
    });
    const leave = future.on("queueState", ({ state }) => seen.push(state));
    const event = { reason: undefined, requestId: "r1", requestType: "OptimStep" };
    tell({ ...event, state: "paused_capacity" });
    leave();
    tell({ ...event, state: "active" });
    expect(seen).toEqual(["paused_capacity"]);
    expect(logger.lines[0]).toMatch(/listener of optimStep threw/);
    await future.cancel();
  });

  it("BR-108: closing ends operations under way and those that come later", async () => {
    const future = start(never);
    live.close();
    await expect(future).rejects.toBeInstanceOf(ClosedError);
    await expect(start(never)).rejects.toBeInstanceOf(ClosedError);
    expect(logger.lines).toEqual([]);
  });

  it.each([-1, Number.NaN])("BR-021: refuses the limit %d at the call", (timeoutMs) => {
    expect(() => start(never, { timeoutMs })).toThrow(ValidationError);
  });

  it("BR-021: waits for ever under an infinite limit", async () => {
    const future = start(async () => "done", { timeoutMs: Number.POSITIVE_INFINITY });
    expect(await future.result({ timeoutMs: Number.POSITIVE_INFINITY })).toBe("done");
    expect(clock.sleeps).toEqual([]);
  });

  it("is a promise: whatever takes one takes it, and what it gives are ordinary promises", async () => {
    const future = start(async () => 1);
    const promise: Promise<number> = future;
    expect(promise).toBeInstanceOf(Promise);
    const passedOn = async (): Promise<number> => future;
    expect(await Promise.all([future, passedOn(), Promise.resolve(future)])).toEqual([1, 1, 1]);
    expect(await Promise.race([future, never()])).toBe(1);
    const seen: number[] = [];
    for await (const value of [start(async () => 1), start(async () => 2)]) seen.push(value);
    expect(seen).toEqual([1, 2]);
    const next = future.then((value) => value + 1);
    expect(next.constructor).toBe(Promise);
    expect(future.finally(() => {}).constructor).toBe(Promise);
    expect(await next).toBe(2);
  });

  it("counts as awaited by whatever takes it, so that its failure is not logged as well", async () => {
    const failing = () => start(() => Promise.reject(new Error("boom")));
    expect((await Promise.allSettled([failing(), failing()])).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
    ]);
    const passedOn = async () => failing();
    await expect(passedOn()).rejects.toThrow("boom");
    expect(logger.lines).toEqual([]);
  });

  it("prints what it is and how it stands", async () => {
    const future = start(async (context) => {
      await settle();
      context.sending();
      context.accepted("r1");
      await settle();
      return 1;
    });
    expect(inspect(future)).toBe("ApiFuture { optimStep, not sent }");
    await settle();
    expect(inspect({ future })).toBe("{ future: ApiFuture { optimStep, request r1, accepted } }");
    await future;
    expect(inspect(future)).toBe("ApiFuture { optimStep, request r1, fulfilled }");
  });
});
