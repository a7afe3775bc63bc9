import { ValidationError } from "../errors/api-errors.js";

/** How long a caller is willing to wait, and what makes it stop. */
export interface WaitLimits {
  /** Aborting rejects at once. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; `Infinity` waits for ever. @defaultValue Infinity */
  readonly timeoutMs?: number | undefined;
}

/** @throws ValidationError for a limit that is negative or not a number */
export function checkTimeoutMs(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || timeoutMs >= 0) return;
  throw new ValidationError(`timeoutMs must be 0 or more milliseconds, got ${timeoutMs}`, {
    path: ["timeoutMs"],
  });
}
