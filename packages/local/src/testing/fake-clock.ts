import type { Clock } from "@tinkex/types";

interface Sleeper {
  readonly wakeAt: number;
  wake(): void;
}

/** Time that passes only when a test says so. */
export class FakeClock implements Clock {
  #time = 1_800_000_000_000;
  readonly #sleepers = new Set<Sleeper>();

  now(): number {
    return this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  /** How many sleeps are under way. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper: Sleeper = {
        wakeAt: this.#time + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      });
    });
  }

  /** Lets `ms` pass, wakes who is due, and gives their continuations a turn. */
  async advance(ms: number): Promise<void> {
    this.#time += ms;
    for (const sleeper of [...this.#sleepers]) if (sleeper.wakeAt <= this.#time) sleeper.wake();
    await new Promise(setImmediate);
  }
}
