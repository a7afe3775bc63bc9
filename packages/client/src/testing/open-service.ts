import { FakeClock } from "@tinkex/base/testing";
import type { TransportHooks } from "@tinkex/http";
import { CANARY_KEY, witness } from "@tinkex-tooling/canary";
import { onTestFinished } from "vitest";
import { ServiceClient } from "../service/service-client.js";
import type { ServiceClientOptions } from "../service/service-client-options.js";
import { RecordingLogger } from "./recording-logger.js";
import { StubService } from "./stub-service.js";

/** A stub service and a client of it on a clock that the test moves; both end with the test. */
export interface OpenService {
  readonly stub: StubService;
  readonly service: ServiceClient;
  readonly clock: FakeClock;
  readonly logger: RecordingLogger;
}

/** Hooks that have every event witnessed. */
const WITNESS_HOOKS: TransportHooks = {
  onRequest: (event) => witness("onRequest", event),
  onResponse: (event) => witness("onResponse", event),
  onRetry: (event) => witness("onRetry", event),
};

/** Starts both; the key is the canary, and what is logged is witnessed. Jitter is at its longest, so that waits are the bounds of their ranges. */
export async function openService(options: ServiceClientOptions = {}): Promise<OpenService> {
  const stub = await StubService.start();
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const service = new ServiceClient({
    baseUrl: stub.url,
    apiKey: CANARY_KEY,
    env: {},
    clock,
    logger,
    random: () => 1 - Number.EPSILON,
    hooks: WITNESS_HOOKS,
    ...options,
  });
  onTestFinished(async () => {
    await service.close();
    await stub.close();
  });
  return { stub, service, clock, logger };
}

/** Waits until something holds, in real time: what crosses a socket takes its time. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const endsAt = Date.now() + 15_000;
  while (!holds()) {
    if (Date.now() > endsAt) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/**
 * Waits until the clock has been asked for so many sleeps in all, and then moves it on. To move it any sooner would leave the
 * one who is about to sleep behind.
 */
export async function sleepThrough(clock: FakeClock, count: number, ms: number): Promise<void> {
  await until(() => clock.sleeps.length >= count, `sleep ${count}`);
  await clock.advance(ms);
}

/** Waits for a result, moving the clock on whenever someone waits for it. */
export async function throughSleeps<T>(clock: FakeClock, result: PromiseLike<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  result.then(settle, settle);
  let passed = clock.sleeps.length;
  await until(() => {
    if (clock.sleeps.length > passed) {
      passed = clock.sleeps.length;
      void clock.advance(Math.max(...clock.sleeps));
    }
    return isSettled;
  }, "the result");
  return result;
}

/** Moves the clock on by `stepMs` until the work has settled, sleeps in the background included. */
export async function passPauses<T>(
  clock: { advance(ms: number): Promise<void> },
  work: PromiseLike<T>,
  stepMs = 500,
): Promise<T> {
  let isSettled = false;
  const end = (): void => {
    isSettled = true;
  };
  work.then(end, end);
  for (const endsAt = Date.now() + 8_000; !isSettled && Date.now() < endsAt; ) {
    await clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return work;
}

/** Gives whatever should not arrive the time to arrive. */
export function pauseForSockets(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 30));
}
