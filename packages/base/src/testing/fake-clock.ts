import { onAbort } from "../abort/on-abort.js";
import type { Clock } from "../ports/clock.js";

/** Options of a {@link FakeClock}. */
export interface FakeClockOptions {
  /** The time it shows first, in milliseconds since the Unix epoch. @defaultValue 0 */
  readonly startMs?: number;
  /** Moves time on by itself, so that every sleep is over at once. @defaultValue false */
  readonly autoAdvance?: boolean;
}

interface Sleeper {
  readonly wakeAtMs: number;
  readonly isBackground: boolean;
  wake(): void;
}

/** A clock that stands still until the test moves it. */
export class FakeClock implements Clock {
  /** Durations of the sleeps that were asked for, in milliseconds; those in the background apart. */
  readonly sleeps: number[] = [];
  readonly backgroundSleeps: number[] = [];
  readonly #sleepers = new Set<Sleeper>();
  readonly #advancesItself: boolean;
  #nowMs: number;

  constructor({ startMs = 0, autoAdvance = false }: FakeClockOptions = {}) {
    this.#nowMs = startMs;
    this.#advancesItself = autoAdvance;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  async sleep(
    ms: number,
    signal?: AbortSignal,
    options: { readonly background?: boolean } = {},
  ): Promise<void> {
    signal?.throwIfAborted();
    (options.background === true ? this.backgroundSleeps : this.sleeps).push(ms);
    if (this.#advancesItself) {
      this.#nowMs += ms;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const sleeper: Sleeper = {
        wakeAtMs: this.#nowMs + ms,
        isBackground: options.background === true,
        wake: () => {
          leave?.();
          resolve();
        },
      };
      const leave =
        signal &&
        onAbort(signal, (reason) => {
          this.#sleepers.delete(sleeper);
          reject(reason);
        });
      this.#sleepers.add(sleeper);
    });
  }

  /** Number of sleeps under way; those in the background apart. */
  get sleeping(): number {
    return this.#sleepers.size - this.sleepingInBackground;
  }

  get sleepingInBackground(): number {
    return [...this.#sleepers].filter(({ isBackground }) => isBackground).length;
  }

  /** Moves time on, waking sleepers in order and letting what they start run in between. */
  async advance(ms: number): Promise<void> {
    if (this.#advancesItself) {
      this.#nowMs += ms;
      return;
    }
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await settle();
      const [next] = [...this.#sleepers].sort((a, b) => a.wakeAtMs - b.wakeAtMs);
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
