import { AsyncLocalStorage } from "node:async_hooks";
import { getEventListeners } from "node:events";
import { AbortedError, type Clock, ClosedError, deferred, LightSignal, onAbort } from "@tinkex/base";
import { FakeClock, settle } from "@tinkex/base/testing";
import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { EventHub } from "../events/event-hub.js";
import { RecordingLogger } from "../testing/recording-logger.js";
import { ClientLifecycle } from "./client-lifecycle.js";
import type { OperationContext } from "./operation-context.js";

const never = (): Promise<never> => new Promise(() => {});

function lifecycle(clock: Clock, hidesSignals = false, events?: EventHub): ClientLifecycle {
  const logger = new RecordingLogger();
  return new ClientLifecycle("SamplingClient", "the client", { clock, logger, hidesSignals, events });
}

/** A hub and what its only reader hears, each message with the name of the async context it came in. */
function heardHub(clock: Clock, context: AsyncLocalStorage<string>): { hub: EventHub; heard: string[] } {
  const hub = new EventHub({ clock, clientId: "c", baseUrl: undefined, channels: undefined });
  const heard: string[] = [];
  hub.add({ read: ({ type }) => heard.push(`${type} in ${context.getStore()}`), end: () => {} });
  return { hub, heard };
}

beforeEach(failOnUnhandledErrors);

describe.each([
  ["a signal of the platform", AbortSignal, false],
  ["a light signal", LightSignal, true],
])("an operation with %s", (_, kind, hidesSignals) => {
  it("has let go of limit, signals and registry once its signal has aborted, and told its parts", async () => {
    const clock = new FakeClock();
    const live = lifecycle(clock, hidesSignals);
    const { signal, abort } = abortable();
    const heard: unknown[] = [];
    let context: OperationContext | undefined;
    const run = (work: OperationContext): Promise<never> => {
      context = work;
      expect(work.signal).toBeInstanceOf(kind);
      onAbort(work.signal, (reason) => heard.push(reason, live.size));
      return never();
    };
    const future = live.start("sample", { signal, timeoutMs: 50 }, run);
    expect([live.size, clock.sleepingInBackground]).toEqual([1, 1]);
    abort();
    expect(live.size).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    const error = await future.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AbortedError);
    expect(heard).toEqual([error, 0]);
    expect(context?.signal.aborted).toBe(true);
    await settle();
    expect(clock.sleepingInBackground).toBe(0);
  });

  it("tells its parts of its failure, and none of them once it has a result", async () => {
    const live = lifecycle(new FakeClock(), hidesSignals);
    const heard: unknown[] = [];
    const refusal = new Error("refused");
    const run = async (work: OperationContext, failure?: Error): Promise<string> => {
      onAbort(work.signal, (reason) => heard.push(reason));
      if (failure !== undefined) throw failure;
      return "done";
    };
    await expect(live.start("sample", {}, (work) => run(work, refusal))).rejects.toBe(refusal);
    expect(await live.start("sample", {}, (work) => run(work))).toBe("done");
    live.close();
    expect(heard).toEqual([refusal]);
  });

  it("tells of its end in the async context of its call, whoever aborts", async () => {
    const clock = new FakeClock();
    const context = new AsyncLocalStorage<string>();
    const { hub, heard } = heardHub(clock, context);
    const live = lifecycle(clock, hidesSignals, hub);
    const { signal, abort } = abortable();
    const future = context.run("the call", () => live.start("sample", { signal }, never));
    context.run("the abort", abort);
    await expect(future).rejects.toBeInstanceOf(AbortedError);
    expect(heard).toEqual(["operation.started in the call", "operation.cancelled in the call"]);
    expect(live.size).toBe(0);
  });

  it.each([true, false])(
    "is aborted, though its work ended a moment before, heard or not: %s",
    async (isHeard) => {
      const clock = new FakeClock();
      const { hub } = heardHub(clock, new AsyncLocalStorage());
      const live = lifecycle(clock, hidesSignals, isHeard ? hub : undefined);
      for (const failure of [undefined, new Error("refused")]) {
        const { signal, abort } = abortable();
        const work = deferred<string>();
        const future = live.start("sample", { signal }, () => work.promise);
        if (failure === undefined) work.resolve("done");
        else work.reject(failure);
        // Of work that is heard of, the end comes a moment later.
        if (isHeard) queueMicrotask(abort);
        else abort();
        await expect(future).rejects.toBeInstanceOf(AbortedError);
      }
    },
  );

  it("asks the service to stop when it is cancelled, and not when its client is closed", async () => {
    const live = lifecycle(new FakeClock(), hidesSignals);
    let asked = 0;
    const run = (work: OperationContext): Promise<never> => {
      work.sending();
      work.accepted("r1");
      work.onCancel(async () => {
        asked += 1;
        return true;
      });
      return never();
    };
    const cancelled = live.start("sample", {}, run);
    expect(await cancelled.cancel()).toBe(true);
    await expect(cancelled).rejects.toBeInstanceOf(AbortedError);
    const closed = live.start("sample", {}, run);
    live.close();
    await expect(closed).rejects.toBeInstanceOf(ClosedError);
    expect(asked).toBe(1);
  });
});

it("settles with the error of a caller's signal that does not let go, and stops its limit all the same", async () => {
  const clock = new FakeClock();
  const live = lifecycle(clock);
  const { signal } = abortable();
  signal.removeEventListener = () => {
    throw new Error("no way out");
  };
  await expect(live.start("sample", { signal, timeoutMs: 50 }, async () => 1)).rejects.toThrow("no way out");
  await settle();
  expect([live.size, clock.sleepingInBackground]).toEqual([0, 0]);
});

it("gives a future that fails for a clock that cannot sleep", async () => {
  const clock = new FakeClock();
  clock.sleep = () => {
    throw new Error("no sleep");
  };
  const live = lifecycle(clock);
  await expect(live.start("sample", { timeoutMs: 50 }, never)).rejects.toThrow("no sleep");
  expect(live.size).toBe(0);
});

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
