/** Time as an argument, so that every waiting rule can be tested without waiting. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds; rejects at once with the signal's reason when it aborts.
   *
   * @param options.background - the sleep must not keep the process alive, e.g. a heartbeat's. @defaultValue false
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background?: boolean }): Promise<void>;
}
