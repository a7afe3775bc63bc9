import { type Logger, silentLogger } from "../ports/logger.js";

type Fields = Readonly<Record<string, unknown>>;

/** A logger that keeps its messages as `level: message`; those for debugging apart. */
export class RecordingLogger implements Logger {
  readonly lines: string[] = [];
  readonly debugLines: string[] = [];
  readonly #forwardTo: Logger;

  /** @param forwardTo - a logger that gets every line as well */
  constructor(forwardTo: Logger = silentLogger) {
    this.#forwardTo = forwardTo;
  }

  debug(message: string, fields?: Fields): void {
    this.#forwardTo.debug(message, fields);
    this.debugLines.push(message);
  }

  info(message: string, fields?: Fields): void {
    this.#forwardTo.info(message, fields);
    this.lines.push(`info: ${message}`);
  }

  warn(message: string, fields?: Fields): void {
    this.#forwardTo.warn(message, fields);
    this.lines.push(`warn: ${message}`);
  }

  error(message: string, fields?: Fields): void {
    this.#forwardTo.error(message, fields);
    this.lines.push(`error: ${message}`);
  }
}
