import { checkKnownNames, checkLogger, checkString, type Logger } from "@tinkex/base";
import { type JsonObject, openMetrics } from "@tinkex/runs";
import type { Metrics, MetricsLogger } from "./metrics-logger.js";

/** Options of {@link metricsLog}. */
export interface MetricsLogOptions {
  /** Folder of the run, made where it is not there. */
  readonly directory: string;
  /** Goes into `config.json`, without secrets. @defaultValue `config.json` is left as it is */
  readonly config?: JsonObject | undefined;
  /** Told of a last line that was cut off. @defaultValue says nothing */
  readonly logger?: Logger | undefined;
}

const OPTION_NAMES: Readonly<Record<keyof MetricsLogOptions, true>> = {
  directory: true,
  config: true,
  logger: true,
};

/** A log in a file. */
export interface FileLog extends MetricsLogger, AsyncDisposable {
  /** Resolves once the row is in the file; rejects where it cannot be written. */
  log(metrics: Metrics, step: number): Promise<void>;
  /** Waits until all rows are written. */
  close(): Promise<void>;
}

/**
 * Writes metrics as the Python cookbook does: a line of `metrics.jsonl` for each step, and `config.json`. Lines are appended whole, so
 * that a program that was killed goes on in the same file; a last line that was cut off goes away. The first row makes the folder.
 *
 * @throws ValidationError at the call
 */
export function metricsLog(options: MetricsLogOptions): FileLog {
  checkKnownNames(options, OPTION_NAMES, "the options of metricsLog");
  const { directory, config, logger } = options;
  checkString(directory, "metricsLog: directory", "runs/support-bot");
  checkLogger(logger, "metricsLog: logger");
  let opened: ReturnType<typeof openMetrics> | undefined;
  return fileLog(async (metrics, step) => {
    opened ??= openMetrics(directory, { config, logger });
    await (await opened).writeMetrics(step, metrics);
  });
}

/** Makes a log of a function that writes a row: one after the other, in the order of the calls. */
export function fileLog(write: (metrics: Metrics, step: number) => Promise<void>): FileLog {
  let last: Promise<unknown> = Promise.resolve();
  const close = async (): Promise<void> => void (await last);
  return {
    log(metrics, step) {
      const written = last.then(() => write(metrics, step));
      last = written.catch(() => {});
      return written;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
