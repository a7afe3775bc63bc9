import type { Clock } from "@tinkex/types";

interface Sleeper {
  readonly wakeAt: number;
  readonly isBackground: boolean;
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

  /** Number of sleeps under way, but for those in the background. */
  get sleeping(): number {
    return [...this.#sleepers].filter(({ isBackground }) => !isBackground).length;
  }

  get sleepingInBackground(): number {
    return this.#sleepers.size - this.sleeping;
  }

  sleep(
    ms: number,
    signal?: AbortSignal,
    { background: isBackground = false }: { readonly background?: boolean } = {},
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        wakeAt: this.#time + ms,
        isBackground,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener("abort", abort);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", abort);
    });
  }

  /** Lets `ms` pass, wakes who is due, and gives their continuations a turn. */
  async advance(ms: number): Promise<void> {
    this.#time += ms;
    for (const sleeper of [...this.#sleepers]) if (sleeper.wakeAt <= this.#time) sleeper.wake();
    await new Promise(setImmediate);
  }
}
