import { ClosedError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { CallLifetime } from "./call-lifetime.js";

const START_MS = Date.UTC(2023, 8, 29, 16, 26, 37);
const lifetimeOn = (
  clock: FakeClock,
  limits: ConstructorParameters<typeof CallLifetime>[2] = {},
): CallLifetime => new CallLifetime("optim_step", clock, limits);

describe("CallLifetime", () => {
  it("rejects the wait that is under way, and ends it early", async () => {
    const lifetime = lifetimeOn(new FakeClock({ startMs: START_MS }));
    let stops = 0;
    const wait = lifetime.during(() => () => {
      stops += 1;
    });
    lifetime.interrupt(new ClosedError("closed"));
    lifetime.interrupt(new ClosedError("closed again"));
    await expect(wait).rejects.toThrow(/^closed$/);
    expect(stops).toBe(1);
  });

  it("rejects the next wait after an interruption between two of them, and keeps the result of the first", async () => {
    const lifetime = lifetimeOn(new FakeClock({ startMs: START_MS }));
    const first = lifetime.during<string>(({ resolve }) => {
      resolve("done");
      return () => {};
    });
    lifetime.interrupt(new ClosedError("closed"));
    await expect(first).resolves.toBe("done");
    let hasStarted = false;
    const second = lifetime.during(() => {
      hasStarted = true;
      return () => {};
    });
    await expect(second).rejects.toThrow("closed");
    expect(hasStarted).toBe(false);
  });

  it("starts nothing for a signal that has fired before", async () => {
    const lifetime = lifetimeOn(new FakeClock({ startMs: START_MS }), {
      signal: AbortSignal.abort("why not"),
      timeoutMs: 5,
    });
    expect(() => lifetime.check()).toThrow("optim_step was aborted");
    await expect(lifetime.during(() => () => {})).rejects.toMatchObject({
      code: "aborted",
      cause: "why not",
    });
  });

  it("sleeps no longer than until its limit, and says then what it was waiting to get over", async () => {
    const clock = new FakeClock({ autoAdvance: true, startMs: START_MS });
    const lifetime = lifetimeOn(clock, { timeoutMs: 5_000 });
    await lifetime.sleep(2_000);
    expect(lifetime.elapsedMs).toBe(2_000);
    lifetime.note({ attempt: 1, what: "answered 503", cause: undefined }, []);
    await expect(lifetime.sleep(9_000)).rejects.toThrow(
      "optim_step took longer than its limit of 5000 ms (last: answered 503)",
    );
    expect(clock.sleeps).toEqual([2_000, 3_000]);
  });
});
