import { join } from "node:path";
import {
  checkKnownNames,
  checkLogger,
  checkObject,
  checkString,
  type Logger,
  shieldedLogger,
  silentLogger,
  systemClock,
  ValidationError,
} from "@tinkex/base";
import { withoutSecrets } from "../config/run-config.js";
import { mendLastLine } from "../lines/last-line.js";
import { type JsonObject, writePythonJson } from "../lines/python-json.js";
import { writeText } from "../lines/write-lines.js";
import { FileLock } from "./file-lock.js";
import { makeFolder } from "./make-folder.js";
import { Run } from "./run.js";
import { RUN_FILES } from "./run-files.js";
import { WriterLock } from "./writer-lock.js";

export interface OpenMetricsOptions {
  /** Goes into `config.json`, without secrets, in place of what is there. @defaultValue `config.json` is left as it is */
  readonly config?: JsonObject | undefined;
  /** Told of a last line that was cut off. @defaultValue says nothing */
  readonly logger?: Logger | undefined;
}

const OPTIONS: Readonly<Record<keyof OpenMetricsOptions, true>> = { config: true, logger: true };

/**
 * Opens `metrics.jsonl` of a folder to append to it, for a program that keeps its own account of where it goes on: unlike `openRun`,
 * nothing is dropped but a last line that was cut off. Close it once it is no longer written: until then no other process may open it, or
 * the run. Calls of one process may write it side by side.
 *
 * @param directory - made where it is not there
 * @throws ValidationError for arguments of the wrong kind, metrics of another program, and when another process writes them or the run
 */
export async function openMetrics(
  directory: string,
  options: OpenMetricsOptions = {},
): Promise<Pick<Run, "directory" | "writeMetrics" | "close" | typeof Symbol.asyncDispose>> {
  checkString(directory, "openMetrics: directory", "runs/support-bot");
  checkKnownNames(options, OPTIONS, "the options of openMetrics");
  const { config } = options;
  checkLogger(options.logger, "openMetrics: logger");
  const logger = shieldedLogger(options.logger ?? silentLogger);
  if (directory === "") {
    throw new ValidationError('openMetrics: directory must not be ""; use "." for this folder');
  }
  if (config !== undefined) {
    checkObject(config, "openMetrics: config", "{ num_epochs: 1 }");
    // Refuses what JSON cannot hold, such as an object that holds itself, before anything walks it.
    writePythonJson(config, 0, "openMetrics: config");
  }
  const path = join(directory, RUN_FILES.metrics);
  const place = { name: `openMetrics: ${path}`, remedy: "choose another directory" };
  await makeFolder(directory, place);
  const lock = await FileLock.take(path, place, logger);
  try {
    await WriterLock.refuseOther(directory, "openMetrics");
    await mendLastLine(path, logger, "openMetrics: directory");
    if (config !== undefined) {
      await writeText(join(directory, RUN_FILES.config), writePythonJson(withoutSecrets(config), 2));
    }
    return new Run(directory, undefined, systemClock, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}
