import { checkTimeoutMs } from "../arguments/check-argument.js";
import { AbortedError, TimeoutError } from "../errors/api-errors.js";
import type { Clock } from "../ports/clock.js";
import { onAbort } from "./on-abort.js";

/** Limits within which a caller is willing to wait. */
export interface WaitLimits {
  /** Aborting rejects at once. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; `Infinity` waits for ever. @defaultValue Infinity */
  readonly timeoutMs?: number | undefined;
}

/** The errors a bounded wait may end with, made only when needed. */
export interface WaitErrors {
  timedOut(timeoutMs: number): Error;
  aborted(reason: unknown): Error;
}

/**
 * Waits for `promise`, but no longer than `limits` say. The promise itself goes on; only this wait ends. Leaves no timer and no
 * listener behind.
 *
 * @param errors - the errors to end with, or the name of the awaited thing for messages
 * @throws TimeoutError, AbortedError (or those that `errors` makes), and what `promise` rejects with
 */
export function waitFor<T>(
  promise: Promise<T>,
  limits: WaitLimits,
  clock: Clock,
  errors: WaitErrors | string,
): Promise<T> {
  const { signal, timeoutMs = Number.POSITIVE_INFINITY } = limits;
  const { aborted, timedOut } = typeof errors === "string" ? waitErrors(errors) : errors;
  if (signal === undefined && timeoutMs === Number.POSITIVE_INFINITY) return promise;
  if (signal?.aborted) {
    // Nobody waits for it any more: what it rejects with is nobody's to handle.
    promise.catch(() => {});
    return Promise.reject(aborted(signal.reason));
  }
  return new Promise<T>((resolve, reject) => {
    const timer = new AbortController();
    const end = (): void => {
      timer.abort("over");
      leave?.();
    };
    const leave =
      signal &&
      onAbort(signal, (reason) => {
        end();
        reject(aborted(reason));
      });
    promise.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
    if (timeoutMs === Number.POSITIVE_INFINITY) return;
    clock.sleep(timeoutMs, timer.signal).then(
      () => {
        end();
        reject(timedOut(timeoutMs));
      },
      // Aborted by `end`: the wait is over already.
      () => {},
    );
  });
}

/**
 * Runs `work` under limits. The signal given to it aborts when the wait is over, for whatever reason.
 *
 * @param what - the name of the work, for messages
 * @throws AbortedError, TimeoutError, or ValidationError for a limit that is negative or not a number
 */
export async function waitWithin<T>(
  limits: WaitLimits,
  clock: Clock,
  what: string,
  work: (over: AbortSignal) => Promise<T>,
): Promise<T> {
  checkTimeoutMs(limits.timeoutMs);
  const errors = waitErrors(what);
  if (limits.signal?.aborted) throw errors.aborted(limits.signal.reason);
  const over = new AbortController();
  try {
    return await waitFor(work(over.signal), limits, clock, errors);
  } finally {
    over.abort();
  }
}

function waitErrors(what: string): WaitErrors {
  return {
    aborted: (cause) => new AbortedError(`${what} was aborted`, { cause }),
    timedOut: (timeoutMs) => new TimeoutError(`${what} took longer than ${timeoutMs} ms`, { timeoutMs }),
  };
}
