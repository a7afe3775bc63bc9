import { onAbort } from "../abort/on-abort.js";
import type { Clock } from "../ports/clock.js";
import { startTimer } from "./start-timer.js";

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
