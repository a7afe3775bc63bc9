/**
 * Calls a function of the caller's that hears how far some work is. It may be async although its type does not say so: what it throws
 * first, at once or later, aborts `signal` as its reason, for the work to end with, and is no unhandled rejection.
 */
export class ProgressListener<Progress> {
  readonly #listener: ((progress: Progress) => unknown) | undefined;
  readonly #failure = new AbortController();

  /** @param listener - `undefined`: nobody hears */
  constructor(listener: ((progress: Progress) => unknown) | undefined) {
    this.#listener = listener;
  }

  /** Aborts once the listener has failed. */
  get signal(): AbortSignal {
    return this.#failure.signal;
  }

  /** Tells the listener, and waits for nothing. Never throws. */
  tell(progress: Progress): void {
    const fail = (error: unknown): void => this.#failure.abort(error);
    try {
      Promise.resolve(this.#listener?.(progress)).catch(fail);
    } catch (error) {
      fail(error);
    }
  }
}
