import { setImmediate as turn } from "node:timers/promises";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { POOL_LIMITS } from "../operations/policy.js";
import { CallLifetime } from "./call-lifetime.js";
import { extendQuiet, trafficOf, waitForQuiet } from "./traffic.js";

const START_MS = Date.UTC(2023, 8, 29, 16, 26, 37);

describe("extendQuiet", () => {
  it("holds back later calls of the same kind of traffic until the longest of the service's pauses is over", () => {
    const { train, rest } = trafficOf(POOL_LIMITS, () => {});
    extendQuiet(train, 1_000, 7_000);
    extendQuiet(train, 2_000, 1_000);
    expect(train.quietUntilMs).toBe(8_000);
    expect(rest.quietUntilMs).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("waitForQuiet", () => {
  it("goes on waiting when the pause has grown meanwhile, with up to a tenth on top by chance", async () => {
    const { train } = trafficOf(POOL_LIMITS, () => {});
    const clock = new FakeClock({ startMs: START_MS });
    const lifetime = new CallLifetime("optim_step", clock, {});
    extendQuiet(train, clock.monotonic(), 1_000);
    let isOver = false;
    const wait = waitForQuiet(train, lifetime, clock, () => 0.5).then(() => {
      isOver = true;
    });
    extendQuiet(train, clock.monotonic(), 5_000);
    await clock.advance(1_050);
    expect(isOver).toBe(false);
    await clock.advance(5_000);
    await wait;
    expect(clock.sleeps).toEqual([1_050, expect.closeTo(3_950 * 1.05)]);
  });

  it("ends with the call", async () => {
    const { train } = trafficOf(POOL_LIMITS, () => {});
    const clock = new FakeClock({ startMs: START_MS });
    const controller = new AbortController();
    const lifetime = new CallLifetime("optim_step", clock, { signal: controller.signal });
    extendQuiet(train, clock.monotonic(), 1_000);
    const wait = waitForQuiet(train, lifetime, clock, () => 0);
    controller.abort("enough");
    await expect(wait).rejects.toMatchObject({ code: "aborted" });
    await turn();
    expect(clock.sleeping).toBe(0);
  });
});

describe("permits", () => {
  it("let so many calls in, and the others in the order they came", async () => {
    const { permits } = trafficOf({ ...POOL_LIMITS, rest: 2 }, () => {}).rest;
    const order: number[] = [];
    const held = [permits.tryAcquire(), permits.tryAcquire()];
    expect(permits.tryAcquire()).toBeUndefined();
    const lifetime = (): CallLifetime => new CallLifetime("test", new FakeClock({ startMs: START_MS }), {});
    const waiting = [1, 2, 3].map((n) =>
      lifetime()
        .during<() => void>(({ resolve }) => permits.enqueue(resolve))
        .then((release) => {
          order.push(n);
          release();
        }),
    );
    held[0]?.();
    // Somebody waits: a newcomer may not slip in.
    expect(permits.tryAcquire()).toBeUndefined();
    held[1]?.();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it("a call that ends while it waits leaves the queue", async () => {
    const { permits } = trafficOf({ ...POOL_LIMITS, rest: 1 }, () => {}).rest;
    const controller = new AbortController();
    const wait = (signal?: AbortSignal): Promise<() => void> =>
      new CallLifetime("test", new FakeClock({ startMs: START_MS }), { signal }).during(({ resolve }) =>
        permits.enqueue(resolve),
      );
    const held = permits.tryAcquire();
    const gone = wait(controller.signal);
    const next = wait();
    controller.abort("enough");
    await expect(gone).rejects.toMatchObject({ code: "aborted" });
    held?.();
    (await next)();
    expect(permits.tryAcquire()).toBeTypeOf("function");
  });
});
