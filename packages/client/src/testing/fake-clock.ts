import type { Clock } from "@tinkex/types";

interface Sleeper {
  readonly wakeAtMs: number;
  wake(): void;
}

/** A clock that stands still until the test moves it. */
export class FakeClock implements Clock {
  /** The sleeps that were asked for, in milliseconds; those in the background apart. */
  readonly sleeps: number[] = [];
  readonly backgroundSleeps: number[] = [];
  readonly #sleepers = new Set<Sleeper>();
  #nowMs = 0;

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal, options: { readonly background?: boolean } = {}): Promise<void> {
    (options.background === true ? this.backgroundSleeps : this.sleeps).push(ms);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper: Sleeper = {
        wakeAtMs: this.#nowMs + ms,
        wake: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** How many sleeps are not over. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Moves time on, waking sleepers in order and letting what they start run in between. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await settle();
      const next = [...this.#sleepers].sort((a, b) => a.wakeAtMs - b.wakeAtMs)[0];
      if (next === undefined || next.wakeAtMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, next.wakeAtMs);
      this.#sleepers.delete(next);
      next.wake();
    }
    this.#nowMs = untilMs;
    await settle();
  }
}

/** Lets everything that is ready run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
