import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { startTimer, systemClock } from "./system-clock.js";

describe("systemClock", () => {
  it("sleeps, and lets go of the signal", async () => {
    const { signal } = new AbortController();
    const before = systemClock.monotonic();
    await systemClock.sleep(5, signal);
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before + 4);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("BR-019: any number of sleeps listens to a signal once", async () => {
    const controller = new AbortController();
    const sleeps = Array.from({ length: 20 }, () => systemClock.sleep(1_000_000, controller.signal));
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    controller.abort("over");
    for (const sleep of sleeps) await expect(sleep).rejects.toBe("over");
  });

  it("an abort ends the sleep with the signal's reason", async () => {
    const controller = new AbortController();
    const sleep = systemClock.sleep(1_000_000, controller.signal);
    controller.abort("why not");
    await expect(sleep).rejects.toBe("why not");
    await expect(systemClock.sleep(1, AbortSignal.abort("at once"))).rejects.toBe("at once");
  });
});

describe("startTimer", () => {
  it("BR-021: waits out spans that one timer of Node cannot hold", () => {
    vi.useFakeTimers();
    try {
      const action = vi.fn();
      startTimer(2 ** 32, action);
      vi.advanceTimersByTime(2 ** 32 - 1);
      expect(action).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(action).toHaveBeenCalledOnce();
      const stopped = vi.fn();
      const stop = startTimer(3e9, stopped);
      vi.advanceTimersByTime(2_500_000_000);
      stop();
      vi.advanceTimersByTime(2_500_000_000);
      expect(stopped).not.toHaveBeenCalled();
      startTimer(Number.POSITIVE_INFINITY, stopped);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
