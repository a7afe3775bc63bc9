/** One request going out. URLs are without their query, which may hold names. */
export interface RequestEvent {
  readonly operation: string;
  readonly method: string;
  readonly url: string;
  /** From 1. */
  readonly attempt: number;
  readonly byteLength: number;
}

/** End of a request. */
export interface ResponseEvent extends RequestEvent {
  /** Absent when no answer came. */
  readonly status: number | undefined;
  /** `answered 200`, `ECONNRESET`, … or the code of the error that ended the call meanwhile, such as `aborted`. */
  readonly outcome: string;
  readonly answerByteLength: number;
  /** From sending to the end of the body, in milliseconds. */
  readonly durationMs: number;
}

/** A pause before the next try. */
export interface RetryEvent {
  readonly operation: string;
  /** Tries made so far. */
  readonly attempts: number;
  readonly outcome: string;
  readonly delayMs: number;
}

/** Watchers of a transport. They hold no header and no body, and what they throw is dropped. */
export interface TransportHooks {
  onRequest?(event: RequestEvent): void;
  onResponse?(event: ResponseEvent): void;
  onRetry?(event: RetryEvent): void;
}

/** Tells a watcher, if there is one; one that fails, at once or later, must not fail the call it watches. */
export function notify<Name extends keyof TransportHooks>(
  hooks: TransportHooks,
  name: Name,
  event: Parameters<Required<TransportHooks>[Name]>[0],
): void {
  try {
    // The compiler does not see that name and event belong together, nor that a watcher may be async all the same.
    const watcher = hooks[name] as ((event: unknown) => unknown) | undefined;
    const left = watcher?.call(hooks, event);
    if (left instanceof Promise) left.catch(() => {});
  } catch {
    // A watcher that throws has no part in the call.
  }
}
