import { type Release, releaseOnce } from "./release.js";
import { WaitingLine } from "./waiting-line.js";

/**
 * Bounds the bytes that are on their way at one time. The first in line is let in whenever the balance is not negative,
 * however much it asks for, so that a request larger than the whole budget still passes.
 */
export class ByteBudget {
  readonly #line = new WaitingLine<number, Release>();
  #available: number;

  constructor(bytes: number) {
    this.#available = bytes;
  }

  /** @throws the reason of `signal` when it aborts first */
  acquire(bytes: number, signal: AbortSignal): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#line.length > 0 || this.#available < 0) return this.#line.wait(bytes, signal);
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
      const next = this.#line.next();
      if (next === undefined) return;
      next.admit(this.#take(next.note));
    }
  }
}
