/**
 * Calls one of those who wait for a signal. An error of theirs is reported as the platform reports those of listeners, as uncaught:
 * the others are told all the same, and whoever aborts goes on, such as a client that closes and has more operations to end.
 */
export function tellOfAbort(callback: (reason: unknown) => void, reason: unknown): void {
  try {
    callback(reason);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
