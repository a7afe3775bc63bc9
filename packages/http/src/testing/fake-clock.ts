import type { Clock } from "@tinkex/types/base";

/** A clock on which every sleep is over at once; it keeps the sleeps it was asked for. */
export class FakeClock implements Clock {
  /** In milliseconds, rounded to whole ones. */
  readonly sleeps: number[] = [];
  #ms: number;

  constructor(startMs = Date.UTC(2023, 8, 29, 16, 26, 37)) {
    this.#ms = startMs;
  }

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  advance(ms: number): void {
    this.#ms += ms;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sleeps.push(Math.round(ms));
    this.#ms += ms;
  }
}
