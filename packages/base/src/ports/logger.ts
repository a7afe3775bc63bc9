/** Receiver of messages that a person may want to know. `console` is one. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const nothing = (): void => {};

/** Drops every message: the default of a logger where none is given. */
export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Tells whether a logger's method does nothing, so that a line for it need not be made. */
export function isSilent(log: Logger["debug"]): boolean {
  return log === nothing;
}
