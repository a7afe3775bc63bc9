import { inspect } from "node:util";
import {
  checkFunction,
  describeValue,
  type Logger,
  silentLogger,
  ValidationError,
  visibleText,
} from "@tinkex/base";

/** Levels from the most to the least talkative. */
const LEVELS = ["debug", "info", "warn", "error", "off"] as const;

export type LogLevel = (typeof LEVELS)[number];

/** The level a word names (any case, spaces around it ignored), or `undefined` when it names none. */
export function parseLogLevel(word: string | undefined): LogLevel | undefined {
  const wanted = typeof word === "string" ? word.trim().toLowerCase() : undefined;
  return LEVELS.find((level) => level === wanted);
}

/**
 * Writes lines such as `tinkex warn: …` to `write` (default: standard error), so that a program's own output stays
 * clean.
 *
 * @throws ValidationError for a level that there is not
 */
export function consoleLogger(
  level: LogLevel = "warn",
  write: (line: string) => void = (line) => process.stderr.write(`${line}\n`),
): Logger {
  if (!LEVELS.includes(level)) {
    throw new ValidationError(
      `consoleLogger: level must be one of ${LEVELS.join(", ")}, got ${describeValue(level)}`,
      { path: ["level"] },
    );
  }
  checkFunction(write, "consoleLogger: write");
  const at = (own: Exclude<LogLevel, "off">): Logger["warn"] => {
    if (LEVELS.indexOf(own) < LEVELS.indexOf(level)) return silentLogger[own];
    return (message, fields) => {
      const rest =
        fields === undefined || Object.keys(fields).length === 0
          ? ""
          : ` ${inspect(fields, { breakLength: Number.POSITIVE_INFINITY, depth: 4 })}`;
      // Of an error that is a field, the lines of its stack stay lines.
      write(`tinkex ${own}: ${visibleText(message)}${visibleText(rest, true)}`);
    };
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
