import type { Clock } from "../ports/clock.js";

/**
 * Limits how often something is done, e.g. logged: the function it returns says true at most once in `intervalMs`, and the first
 * time at once. A thousand operations that meet the same trouble then make one line a minute.
 */
export function atMostEvery(intervalMs: number, clock: Pick<Clock, "monotonic">): () => boolean {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = clock.monotonic();
    if (nowMs - lastMs < intervalMs) return false;
    lastMs = nowMs;
    return true;
  };
}
