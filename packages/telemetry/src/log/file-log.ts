import { errorMessage } from "@tinkex/base";
import type { Metrics, MetricsLogger } from "./metrics-logger.js";

/** Most rows that wait for a file that cannot be written; the oldest go first. */
const MAX_LATE_ROWS = 10_000;

/** A log in a file. */
export interface FileLog extends MetricsLogger, AsyncDisposable {
  /**
   * Resolves once the row is in the file; rejects where it cannot be written now. Unless the row itself is at fault, it is then written
   * before the next one, or at the close: up to 10,000 rows wait so.
   */
  log(metrics: Metrics, step: number): Promise<void>;
  /** Waits until all rows are written, or tried once more where the file could not be written. */
  close(): Promise<void>;
}

/** A file that is open. */
export interface OpenFile {
  /** Sees to it that rows can be written; rejects for what is the fault of no row. */
  look?(): Promise<void>;
  /** Writes a row at the end. */
  write(metrics: Metrics, step: number): Promise<void>;
  /** Lets others write the file. */
  close?(): Promise<void>;
}

interface Row {
  readonly metrics: Metrics;
  readonly step: number;
}

/**
 * Makes a log of a file: rows go out one after the other, in the order of the calls.
 *
 * @param open - opens the file and takes away a row that was cut off; called again after a failure of the system
 * @param name - the log and its file, for the error of one that cannot be written
 */
export function fileLog(open: () => Promise<OpenFile>, name: string): FileLog {
  let last: Promise<unknown> = Promise.resolve();
  let file: OpenFile | undefined;
  /** Rows whose turn has come, oldest first. */
  const due: Row[] = [];

  const leave = async (): Promise<void> => {
    const left = file;
    file = undefined;
    await left?.close?.();
  };
  /** @throws for the row that is given, and for all that wait where the file cannot be written */
  const writeDue = async (added?: Row): Promise<void> => {
    if (added !== undefined) due.push(added);
    if (due.length > MAX_LATE_ROWS) due.shift();
    for (let row = due[0]; row !== undefined; row = due[0]) {
      file ??= await open();
      await file.look?.();
      try {
        await file.write(row.metrics, row.step);
      } catch (error) {
        if (isOfSystem(error)) {
          await leave();
          throw error;
        }
        due.shift();
        if (row === added) throw error;
        continue;
      }
      due.shift();
    }
  };
  const close = async (): Promise<void> => {
    // Each row that cannot be written has told so to its caller.
    last = last
      .then(() => writeDue())
      .catch(() => {})
      .then(leave)
      .catch(() => {});
    await last;
  };
  return {
    log(metrics, step) {
      // A copy, since a program may fill the same object anew for its next step.
      const row = { metrics: { ...metrics }, step };
      const written = last
        .then(() => writeDue(row))
        .catch((cause: unknown) => {
          throw isOfSystem(cause) ? notWritten(name, cause) : cause;
        });
      last = written.catch(() => {});
      return written;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Names the log in an error of the system, which may not even name the file. Its code stays. */
function notWritten(name: string, cause: Error): Error {
  const message = `${name} cannot be written (${errorMessage(cause)}); rows wait, and are tried again with the next one`;
  return Object.assign(new Error(message, { cause }), { code: "code" in cause ? cause.code : undefined });
}

/** Tells a full disk or a missing folder from a row that can never be written. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && "errno" in error;
}
