import type { Release } from "@tinkex/base";

/** Longest interval of a timer, in milliseconds. */
const MAX_INTERVAL_MS = 2 ** 31 - 1;

let holdCount = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * Keeps the process alive while somebody waits for a result. Polls, and the pauses between them, do not: work that nobody waits
 * for must not hold up the end of a program.
 */
export function keepAlive(): Release {
  holdCount += 1;
  timer ??= setInterval(() => {}, MAX_INTERVAL_MS);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    holdCount -= 1;
    if (holdCount > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
