/** Node runs a timer of more milliseconds than this at once, with a warning. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `action` after `ms` milliseconds, however many they are. Returns what stops it; `Infinity` never fires. A
 * `background` timer does not keep the process alive.
 */
export function startTimer(ms: number, action: () => void, background = false): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  let leftMs = ms;
  let timer: ReturnType<typeof setTimeout>;
  const arm = (): void => {
    const sliceMs = Math.min(leftMs, LONGEST_TIMER_MS);
    leftMs -= sliceMs;
    timer = setTimeout(leftMs > 0 ? arm : action, sliceMs);
    // Browsers have plain numbers here, and no process to keep alive.
    if (background && typeof timer === "object") timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}
