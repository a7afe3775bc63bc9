import { WaitingLine } from "@tinkex/http";
import type { TinkexError } from "@tinkex/types";

/**
 * One turn at a time, in the order in which turns were asked for. A turn ends when its body settles, however it does; one
 * that is given up while it waits leaves no gap.
 */
export class TurnQueue {
  readonly #line = new WaitingLine<undefined, void>();
  #busy = false;
  #broken: TinkexError | undefined;

  /**
   * Runs `body` when its turn has come. Once running, the body is not interrupted: what it sends must stay in order.
   *
   * @throws the reason of `signal` when it aborts before the turn came; the error the queue was broken with
   */
  async run<T>(signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      // Whoever was let in may have given up before it came to run.
      signal.throwIfAborted();
      return await body();
    } finally {
      this.#leave();
    }
  }

  /** Ends all waiting and later turns with `error`. The first error counts. */
  break(error: TinkexError): void {
    this.#broken ??= error;
    this.#line.dismiss(this.#broken);
  }

  #enter(signal: AbortSignal): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#busy) return this.#line.wait(undefined, signal);
    this.#busy = true;
    return Promise.resolve();
  }

  #leave(): void {
    const next = this.#line.next();
    if (next === undefined) this.#busy = false;
    else next.admit();
  }
}
