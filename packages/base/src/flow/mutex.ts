import { Semaphore } from "./semaphore.js";

/**
 * Lets one body run at a time, in the order in which they asked: a semaphore with one permit. The mutex is free again when the
 * body settles, however it does; a wait that is given up leaves no gap.
 */
export class Mutex {
  readonly #permit = new Semaphore(1);
  #broken: Error | undefined;

  /**
   * Runs `body` once the mutex is free. Once running, the body is not interrupted.
   *
   * @throws the reason of `signal` when it aborts before the body began; the error the mutex was broken with
   */
  async runExclusive<T>(signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    if (this.#broken !== undefined) throw this.#broken;
    // Whoever waits has further turns of the microtask queue until it runs, so that someone who waits for the one before can give it up.
    const release = await (this.#permit.tryAcquire() ?? this.#permit.acquire(signal).finally(() => {}));
    try {
      // Someone who was admitted may have given up before it came to run.
      signal.throwIfAborted();
      return await body();
    } finally {
      release();
    }
  }

  /** Fails the waiting bodies with `error`; later ones run again. */
  dismiss(error: unknown): void {
    this.#permit.dismiss(error);
  }

  /** Fails all waiting and later bodies with `error`, because what they rely on is lost. The first error counts. */
  break(error: Error): void {
    this.#broken ??= error;
    this.#permit.dismiss(this.#broken);
  }
}
