import { onAbort } from "./on-abort.js";

/**
 * Waits for `run`, but no longer than until `signal` aborts. What was begun goes on by itself then, and its outcome counts no
 * more.
 *
 * @throws what `run` throws; the reason of `signal`
 */
export async function raceAbort<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const leave = onAbort(signal, reject);
    run().then(resolve, reject).finally(leave);
  });
}
