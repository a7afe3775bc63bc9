import { type Clock, onAbort } from "@tinkex/types";
import type { WaitLimits } from "./wait-limits.js";

/** The errors a bounded wait may end with, made only when needed. */
export interface WaitErrors {
  timedOut(timeoutMs: number): Error;
  aborted(reason: unknown): Error;
}

/**
 * Waits for `promise`, but no longer than `limits` say. The promise itself goes on; it is only this wait that ends. Leaves no
 * timer and no listener behind.
 */
export function waitFor<T>(
  promise: Promise<T>,
  limits: WaitLimits,
  clock: Clock,
  errors: WaitErrors,
): Promise<T> {
  const { signal, timeoutMs = Number.POSITIVE_INFINITY } = limits;
  if (signal === undefined && timeoutMs === Number.POSITIVE_INFINITY) return promise;
  if (signal?.aborted) return Promise.reject(errors.aborted(signal.reason));
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
        reject(errors.aborted(reason));
      });
    promise.then(resolve, reject).finally(end);
    if (timeoutMs === Number.POSITIVE_INFINITY) return;
    clock.sleep(timeoutMs, timer.signal).then(
      () => {
        end();
        reject(errors.timedOut(timeoutMs));
      },
      // Aborted by `end`: the wait is over already.
      () => {},
    );
  });
}
