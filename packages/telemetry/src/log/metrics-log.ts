import { checkKnownNames, checkLogger, checkString, type Logger } from "@tinkex/base";
import { type JsonObject, openMetrics } from "@tinkex/runs";
import { type FileLog, fileLog } from "./file-log.js";

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

/**
 * Writes metrics as the Python cookbook does: a line of `metrics.jsonl` for each step, and `config.json`. Lines are appended whole, so
 * that a program that was killed goes on in the same file; a last line that was cut off goes away. The first row makes the folder, and
 * keeps other processes from writing the file until the log is closed.
 *
 * @throws ValidationError at the call
 */
export function metricsLog(options: MetricsLogOptions): FileLog {
  checkKnownNames(options, OPTION_NAMES, "the options of metricsLog");
  const { directory, config, logger } = options;
  checkString(directory, "metricsLog: directory", "runs/support-bot");
  checkLogger(logger, "metricsLog: logger");
  return fileLog(async () => {
    const run = await openMetrics(directory, { config, logger });
    return { write: (metrics, step) => run.writeMetrics(step, metrics), close: () => run.close() };
  }, `metricsLog: metrics.jsonl of ${directory}`);
}
