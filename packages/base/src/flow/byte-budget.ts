import { ValidationError } from "../errors/api-errors.js";
import { Semaphore } from "./semaphore.js";
import type { Release } from "./wait-queue.js";

/**
 * Bounds the bytes that are on their way at one time: a semaphore with a permit for each. A request larger than the whole budget
 * still passes, when its turn comes.
 */
export class ByteBudget {
  readonly #permits: Semaphore;

  /** @throws ValidationError for a budget that is no number of bytes */
  constructor(bytes: number) {
    checkBytes(bytes, "the budget");
    // One more, so that a budget that is used up to the last byte lets one in.
    this.#permits = new Semaphore(bytes + 1);
  }

  /** Bytes that are held now. */
  get taken(): number {
    return this.#permits.taken;
  }

  /** Number of those who wait. */
  get waiting(): number {
    return this.#permits.waiting;
  }

  /**
   * Takes a share of the budget if nothing has used it up; nobody waits then.
   *
   * @throws ValidationError as {@link acquire}
   */
  tryAcquire(bytes: number): Release | undefined {
    checkBytes(bytes, "what is asked for");
    return this.#permits.tryAcquire(bytes);
  }

  /**
   * Waits for a share of the budget.
   *
   * @throws ValidationError for what is no number of bytes: one that is infinite or NaN would stop all who come after; the
   *   reason of `signal` when it aborts first
   */
  async acquire(bytes: number, signal: AbortSignal): Promise<Release> {
    checkBytes(bytes, "what is asked for");
    return this.#permits.acquire(signal, bytes);
  }
}

function checkBytes(bytes: number, what: string): void {
  if (typeof bytes === "number" && bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER) return;
  throw new ValidationError(
    `ByteBudget: ${what} must be a number of bytes from 0 to 2^53 - 1, got ${String(bytes)}`,
    { path: ["bytes"] },
  );
}
