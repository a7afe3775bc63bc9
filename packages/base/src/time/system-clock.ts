import { onAbort } from "../abort/on-abort.js";
import type { Clock } from "../ports/clock.js";

/** Node runs a timer of more milliseconds than this at once, with a warning. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `action` after `ms` milliseconds, however many they are. Returns a function that stops it; `Infinity` never fires. An
 * `isBackground` timer does not keep the process alive.
 */
export function startTimer(ms: number, action: () => void, isBackground = false): () => void {
  if (ms > MAX_TIMER_MS) return startLongTimer(ms, action, isBackground);
  const timer = setTimeout(action, ms);
  // Browsers have plain numbers here, and no process to keep alive.
  if (isBackground && typeof timer === "object") timer.unref();
  return () => clearTimeout(timer);
}

function startLongTimer(ms: number, action: () => void, isBackground: boolean): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  let stop = startTimer(
    MAX_TIMER_MS,
    () => {
      stop = startTimer(ms - MAX_TIMER_MS, action, isBackground);
    },
    isBackground,
  );
  return () => stop();
}

/** The machine's own time. A sleep keeps the process alive unless it says `background`. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(ms, signal, options) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave =
        signal &&
        onAbort(signal, (reason) => {
          stopTimer();
          reject(reason);
        });
      const stopTimer = startTimer(
        ms,
        () => {
          leave?.();
          resolve();
        },
        options?.background,
      );
    });
  },
};
