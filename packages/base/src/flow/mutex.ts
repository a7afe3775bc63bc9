import { WaitQueue } from "./wait-queue.js";

/**
 * Lets one body run at a time, in the order in which they asked. The mutex is free again when the body settles, however it does;
 * a wait that is given up leaves no gap.
 */
export class Mutex {
  readonly #queue = new WaitQueue<undefined, void>();
  #isHeld = false;
  #broken: Error | undefined;

  /**
   * Runs `body` once the mutex is free. Once running, the body is not interrupted.
   *
   * @throws the reason of `signal` when it aborts before the body began; the error the mutex was broken with
   */
  async runExclusive<T>(signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    await this.#lock(signal);
    try {
      // Someone who was admitted may have given up before it came to run.
      signal.throwIfAborted();
      return await body();
    } finally {
      this.#unlock();
    }
  }

  /** Fails all waiting and later bodies with `error`, because what they rely on is lost. The first error counts. */
  break(error: Error): void {
    this.#broken ??= error;
    this.#queue.dismiss(this.#broken);
  }

  #lock(signal: AbortSignal): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#isHeld) return this.#queue.wait(undefined, signal);
    this.#isHeld = true;
    return Promise.resolve();
  }

  #unlock(): void {
    const next = this.#queue.next();
    if (next === undefined) this.#isHeld = false;
    else next.admit();
  }
}
