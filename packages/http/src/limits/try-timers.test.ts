import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TimedOut } from "../errors/try-outcome.js";
import { within } from "../operations/policy.js";
import { TryTimers } from "./try-timers.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = { headersMs: 1_000, silenceMs: 500 };

function watch(timeouts: ConstructorParameters<typeof TryTimers>[0], sentBytes = 0) {
  const expired: TimedOut[] = [];
  return { timers: new TryTimers(timeouts, sentBytes, (outcome) => expired.push(outcome)), expired };
}

describe("TryTimers", () => {
  it("waits for the status line, and longer after a big body", () => {
    const { expired } = watch(limits);
    const big = watch(limits, 1024 * 1024);
    vi.advanceTimersByTime(1_000);
    expect(expired).toEqual([{ kind: "timed_out", waitingFor: "the status line", limitMs: 1_000 }]);
    vi.advanceTimersByTime(7_999);
    expect(big.expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(big.expired).toEqual([{ kind: "timed_out", waitingFor: "the status line", limitMs: 9_000 }]);
  });

  it("BR-026: a body that goes on may take its time, one that falls silent may not", () => {
    const { timers, expired } = watch(limits);
    timers.watchSilence();
    for (let i = 0; i < 20; i += 1) {
      timers.isSilent = false;
      vi.advanceTimersByTime(400);
    }
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(expired).toEqual([{ kind: "timed_out", waitingFor: "the rest of the body", limitMs: 500 }]);
  });

  it("leaves no timer once a limit has run out", () => {
    for (const totalMs of [100, 5_000]) {
      watch({ ...limits, totalMs });
      vi.advanceTimersByTime(1_000);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("a limit of the whole try holds for a trickle too", () => {
    const { timers, expired } = watch(within(1_000));
    timers.watchSilence();
    for (let i = 0; i < 11; i += 1) {
      timers.isSilent = false;
      vi.advanceTimersByTime(100);
    }
    expect(expired).toEqual([{ kind: "timed_out", waitingFor: "the whole answer", limitMs: 1_000 }]);
  });

  it("takes one timer, whatever its limits and however far the answer has come", () => {
    const { timers } = watch({ ...limits, totalMs: 5_000 });
    expect(vi.getTimerCount()).toBe(1);
    timers.watchSilence();
    expect(vi.getTimerCount()).toBe(1);
  });

  it("a silence that is longer than the time for the status line is waited out", () => {
    const { timers, expired } = watch({ headersMs: 500, silenceMs: 1_000 });
    vi.advanceTimersByTime(400);
    timers.watchSilence();
    vi.advanceTimersByTime(999);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual([{ kind: "timed_out", waitingFor: "the rest of the body", limitMs: 1_000 }]);
  });

  it("leaves no timer once it is stopped", () => {
    const { timers } = watch(within(1_000));
    timers.watchSilence();
    timers.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
