import { ValidationError } from "../errors/api-errors.js";
import { type Release, releaseOnce, WaitQueue } from "./wait-queue.js";

/**
 * Bounds the bytes that are on their way at one time. The first in line is let in whenever the balance is not negative,
 * however much it asks for, so that a request larger than the whole budget still passes.
 */
export class ByteBudget {
  readonly #queue = new WaitQueue<number, Release>();
  #available: number;

  /** @throws ValidationError for a budget that is no number of bytes */
  constructor(bytes: number) {
    checkBytes(bytes, "the budget");
    this.#available = bytes;
  }

  /**
   * @throws ValidationError for what is no number of bytes: one that is infinite or NaN would stop all who come after; the
   *   reason of `signal` when it aborts first
   */
  async acquire(bytes: number, signal: AbortSignal): Promise<Release> {
    checkBytes(bytes, "what is asked for");
    if (signal.aborted) throw signal.reason;
    if (this.#queue.length > 0 || this.#available < 0) return this.#queue.wait(bytes, signal);
    return this.#take(bytes);
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

function checkBytes(bytes: number, what: string): void {
  if (typeof bytes === "number" && bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER) return;
  throw new ValidationError(
    `ByteBudget: ${what} must be a number of bytes from 0 to 2^53 - 1, got ${String(bytes)}`,
    {
      path: ["bytes"],
    },
  );
}
