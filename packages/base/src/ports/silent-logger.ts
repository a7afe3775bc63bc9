import type { Logger } from "./logger.js";

const nothing = (): void => {};

/** Says nothing. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Whether a logger's method does nothing, so that a line for it need not be made. */
export function isSilent(log: Logger["debug"]): boolean {
  return log === nothing;
}
