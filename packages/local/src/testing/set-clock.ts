import type { Clock } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";

/** A fake clock whose time of day somebody sets, as on a real machine: what measures a span is not moved by that. */
export class SetClock implements Clock {
  readonly inner: FakeClock;
  #setByMs = 0;

  constructor(startMs: number) {
    this.inner = new FakeClock({ startMs });
  }

  now(): number {
    return this.inner.now() + this.#setByMs;
  }

  monotonic(): number {
    return this.inner.monotonic();
  }

  sleep(...args: Parameters<Clock["sleep"]>): Promise<void> {
    return this.inner.sleep(...args);
  }

  /** Sets the time of day forward, or back by a negative number. No sleep is over by that. */
  set(byMs: number): void {
    this.#setByMs += byMs;
  }
}
