import { type Release, releaseOnce } from "./release.js";
import { WaitQueue } from "./wait-queue.js";

/**
 * Bounds the bytes that are on their way at one time. The first in line is let in whenever the balance is not negative,
 * however much it asks for, so that a request larger than the whole budget still passes.
 */
export class ByteBudget {
  readonly #queue = new WaitQueue<number, Release>();
  #available: number;

  constructor(bytes: number) {
    this.#available = bytes;
  }

  /** @throws the reason of `signal` when it aborts first */
  acquire(bytes: number, signal: AbortSignal): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#queue.length > 0 || this.#available < 0) return this.#queue.wait(bytes, signal);
    return Promise.resolve(this.#take(bytes));
  }

  #take(bytes: number): Release {
    this.#available -= bytes;
    return releaseOnce(() => {
      this.#available += bytes;
      this.#admit();
    });
  }

  #admit(): void {
    while (this.#available >= 0) {
      const next = this.#queue.next();
      if (next === undefined) return;
      next.admit(this.#take(next.note));
    }
  }
}
