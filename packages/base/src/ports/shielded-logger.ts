import { isSilent, type Logger } from "./logger.js";

/**
 * A caller's logger that cannot fail a call: a line that it throws at is lost, and the work that wrote the line goes on. Methods that do
 * nothing stay as they are, so that nobody makes lines for them.
 */
export function shieldedLogger(logger: Logger): Logger {
  const shielded = (level: keyof Logger): Logger["debug"] => {
    if (isSilent(logger[level])) return logger[level];
    return (message, fields) => {
      try {
        // An async method is one too, as far as types go.
        Promise.resolve(logger[level](message, fields) as unknown).catch(() => {});
      } catch {
        // There is nowhere else to say it.
      }
    };
  };
  return {
    debug: shielded("debug"),
    info: shielded("info"),
    warn: shielded("warn"),
    error: shielded("error"),
  };
}
