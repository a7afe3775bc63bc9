import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { onAbort } from "./on-abort.js";

describe("onAbort", () => {
  it("BR-019: many callbacks, one listener, and none once the last is taken back", () => {
    const { signal } = new AbortController();
    const stops = Array.from({ length: 50 }, () => onAbort(signal, () => {}));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    for (const stop of stops) stop();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("calls those that still wait, once", () => {
    const controller = new AbortController();
    const [gone, waiting] = [vi.fn(), vi.fn()];
    onAbort(controller.signal, gone)();
    const stop = onAbort(controller.signal, waiting);
    controller.abort();
    stop();
    expect(gone).not.toHaveBeenCalled();
    expect(waiting).toHaveBeenCalledOnce();
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("a callback that takes another back keeps it from being called", () => {
    const controller = new AbortController();
    const second = vi.fn();
    let stopSecond = (): void => {};
    onAbort(controller.signal, () => stopSecond());
    stopSecond = onAbort(controller.signal, second);
    controller.abort();
    expect(second).not.toHaveBeenCalled();
  });
});
