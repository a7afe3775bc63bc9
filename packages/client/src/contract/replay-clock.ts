import type { Clock } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";

/** Shortest sleep of what happens at intervals, such as heartbeats, in milliseconds. */
const MIN_INTERVAL_MS = 10_000;

/** The time of a replay: pauses between requests are over at once, and what happens at intervals waits until time is moved on. */
export class ReplayClock implements Clock {
  readonly #background = new FakeClock({ startMs: 1_800_000_000_000 });
  #skippedMs = 0;

  now(): number {
    return this.#background.now() + this.#skippedMs;
  }

  monotonic(): number {
    return this.now();
  }

  async sleep(ms: number, signal?: AbortSignal, options: Parameters<Clock["sleep"]>[2] = {}): Promise<void> {
    signal?.throwIfAborted();
    if (options.background === true && ms >= MIN_INTERVAL_MS)
      return this.#background.sleep(ms, signal, options);
    this.#skippedMs += ms;
  }

  advance(ms: number): Promise<void> {
    return this.#background.advance(ms);
  }
}
