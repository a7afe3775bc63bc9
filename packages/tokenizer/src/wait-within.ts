import { AbortedError, type Clock, TimeoutError, ValidationError } from "@tinkex/types/base";

/** How long a caller waits. */
export interface WaitLimits {
  /** Aborting it rejects at once. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. @defaultValue Infinity */
  readonly timeoutMs?: number | undefined;
}

/**
 * What `work` gives, if it does so within the limits. The signal given to it aborts when the wait is over, for whatever
 * reason; no listener stays on the caller's own.
 *
 * @param what What is waited for, for messages.
 * @throws AbortedError, TimeoutError, or ValidationError for a limit that is negative or not a number.
 */
export async function waitWithin<T>(
  { signal, timeoutMs = Number.POSITIVE_INFINITY }: WaitLimits,
  clock: Clock,
  what: string,
  work: (over: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!(timeoutMs >= 0)) {
    throw new ValidationError(`timeoutMs must be 0 or more milliseconds, got ${timeoutMs}.`, {
      path: ["timeoutMs"],
    });
  }
  const over = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const refuse = () => reject(new AbortedError(`${what} was aborted.`, { cause: signal?.reason }));
    if (signal?.aborted) refuse();
    signal?.addEventListener("abort", refuse, { signal: over.signal });
  });
  try {
    if (signal?.aborted) return await aborted;
    const limits = [aborted];
    if (timeoutMs < Number.POSITIVE_INFINITY) limits.push(timeOut(timeoutMs, clock, what, over.signal));
    return await Promise.race([work(over.signal), ...limits]);
  } finally {
    over.abort();
  }
}

async function timeOut(timeoutMs: number, clock: Clock, what: string, over: AbortSignal): Promise<never> {
  await clock.sleep(timeoutMs, over);
  throw new TimeoutError(`${what} took longer than ${timeoutMs} ms.`, { timeoutMs });
}
