import { constants, copyFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  checkClock,
  checkKnownNames,
  checkLogger,
  checkObject,
  checkString,
  errorMessage,
  type Logger,
  shieldedLogger,
  silentLogger,
  systemClock,
  ValidationError,
} from "@tinkex/base";
import { configHash, differingKeys, withoutSecrets } from "../config/run-config.js";
import { dropRowsFrom } from "../lines/drop-rows.js";
import { openIfThere } from "../lines/file-lines.js";
import { JsonLinesReader } from "../lines/json-lines-reader.js";
import { mendLastLine } from "../lines/last-line.js";
import { type JsonObject, readPythonJson, writePythonJson } from "../lines/python-json.js";
import { listIfThere, readIfThere } from "../lines/read-if-there.js";
import { syncFiles, writeText } from "../lines/write-lines.js";
import { makeFolder } from "./make-folder.js";
import type { CheckpointRecord, RunMark } from "./records.js";
import { epochStartsIn, resumePointOf } from "./resume-point.js";
import { type ResumePoint, Run } from "./run.js";
import { iterationOf, MARK_FORMAT, RUN_FILES } from "./run-files.js";
import { placeOfRun, WriterLock } from "./writer-lock.js";

export interface OpenRunOptions {
  /** Name of the recipe, e.g. `sft`. */
  readonly recipe: string;
  /**
   * Everything that decides the result. It goes into `config.json`, without secrets, and the run goes on only with the same one. Readers
   * of the cookbook tell the kind of a run by `num_epochs` (supervised), `loss_fn` (reinforcement learning) or `dpo_beta`.
   */
  readonly config: JsonObject;
  /** Version of the program that writes. @defaultValue "" */
  readonly version?: string | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

const OPTIONS: Readonly<Record<keyof OpenRunOptions, true>> = {
  recipe: true,
  config: true,
  version: true,
  logger: true,
  clock: true,
};

/**
 * Opens a run for writing: begins it in a new folder, or goes on where its last checkpoint says. What was logged after that checkpoint is
 * dropped, since those steps are done again; a copy is kept. Nothing is dropped from a run that has ended. A folder of the Python cookbook is taken over, its `config.json` kept as
 * `config.json.before_tinkex`, unless its `model_name` is another one. A run that has ended before its first step begins again, also with another configuration.
 *
 * Close it once it is no longer written: until then no other process may open it.
 *
 * @param directory - folder of the run, made where it is not there
 * @throws ValidationError when the folder holds a run of another configuration; the message names the fields that differ. Also when another
 * process writes it
 */
export async function openRun(directory: string, options: OpenRunOptions): Promise<Run> {
  checkString(directory, "openRun: directory", "runs/support-bot");
  if (directory === "")
    throw new ValidationError('openRun: directory must not be ""; use "." for this folder');
  checkKnownNames(options, OPTIONS, "the options of openRun");
  const { recipe, version = "", clock = systemClock } = options;
  checkLogger(options.logger, "openRun: logger");
  const logger = shieldedLogger(options.logger ?? silentLogger);
  checkClock(clock, "openRun: clock");
  checkString(recipe, "openRun: recipe", "sft");
  checkObject(options.config, "openRun: config", "{ num_epochs: 1 }");
  // Refuses what JSON cannot hold, such as an object that holds itself, before anything walks it.
  writePythonJson(options.config, 0, "openRun: config");
  const config = withoutSecrets(options.config);
  const file = (name: string) => join(directory, name);
  await makeFolder(directory, placeOfRun(directory));
  const hash = configHash(config);
  const startedAt = await guard(directory, recipe, config, hash);
  const lock = await WriterLock.take(directory, logger);
  try {
    const resumePoint = await goOnAt(directory, logger);
    const mark: RunMark = {
      format: MARK_FORMAT,
      recipe,
      version,
      configHash: hash,
      startedAt: startedAt ?? new Date(clock.now()).toISOString(),
      pid: process.pid,
    };
    if (startedAt === undefined) await writeText(file(RUN_FILES.config), writePythonJson(config, 2));
    await writeText(file(RUN_FILES.mark), writePythonJson(mark, 2));
    await syncFiles([file(RUN_FILES.config), file(RUN_FILES.mark)]);
    return new Run(directory, resumePoint, clock, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Mends the files of a run, finds where it goes on, and drops what was logged behind that. */
async function goOnAt(directory: string, logger: Logger): Promise<ResumePoint | undefined> {
  const metrics = join(directory, RUN_FILES.metrics);
  const timing = join(directory, RUN_FILES.timing);
  const checkpoints = join(directory, RUN_FILES.checkpoints);
  for (const path of [checkpoints, metrics, timing]) await mendLastLine(path, logger, "openRun: directory");
  const { rows } = await new JsonLinesReader<CheckpointRecord>(checkpoints, logger).read();
  const resumePoint = resumePointOf(rows, await epochStartsIn(metrics), directory);
  // No step is done again: what is behind the last one was measured at the end.
  if (resumePoint?.isFinished === true) return resumePoint;
  // Steps without a checkpoint are done again from the start.
  for (const path of [metrics, timing]) {
    const dropped = await dropRowsFrom(path, resumePoint?.batch ?? 0);
    if (dropped > 0) logger.info(`${path}: ${dropped} rows after the checkpoint were dropped`);
  }
  return resumePoint;
}

/** Refuses a run of another configuration. @returns when the run was begun; undefined where it is not ours yet, or has done nothing */
async function guard(directory: string, recipe: string, config: JsonObject, hash: string) {
  const [mark, before] = await Promise.all(
    [RUN_FILES.mark, RUN_FILES.config].map((name) => readObject(join(directory, name))),
  );
  if (mark === undefined) {
    const path = join(directory, RUN_FILES.config);
    if (before === undefined) return undefined;
    if (isOfOtherModel(before, config) && (await hasBegun(directory))) {
      throw new ValidationError(
        `openRun: ${directory} holds a run of the model ${before.model_name}, now ${config.model_name}; go on with the same one, or choose another directory`,
      );
    }
    await keepCopy(path);
    return undefined;
  }
  if (mark.format !== MARK_FORMAT) {
    throw new ValidationError(
      `openRun: ${directory} is a run of format ${String(mark.format)}, and this version knows ${MARK_FORMAT}; update tinkex, or choose another directory`,
    );
  }
  const differing = [
    ...(mark.recipe === recipe ? [] : [`recipe (${String(mark.recipe)}, now ${recipe})`]),
    ...(mark.configHash === hash ? [] : differingKeys(before ?? {}, config)),
  ];
  if (differing.length > 0 || mark.configHash !== hash) {
    // A first call with a mistake in it must not spoil the folder for the second.
    if (!(await hasBegun(directory))) return undefined;
    throw new ValidationError(
      `openRun: ${directory} holds a run of another configuration, which differs in ${differing.join(", ") || "its hash"}; go on with the same one, or choose another directory`,
    );
  }
  return typeof mark.startedAt === "string" ? mark.startedAt : "";
}

/** Tells whether a configuration of the cookbook names another model: checkpoints of one cannot be gone on with as the other. */
function isOfOtherModel({ model_name: before }: JsonObject, { model_name: now }: JsonObject): boolean {
  return typeof before === "string" && typeof now === "string" && before !== now;
}

/** Logs that a run writes once it has done something. */
const LOGS: readonly string[] = [RUN_FILES.metrics, RUN_FILES.checkpoints, RUN_FILES.timing];

/** Tells whether a run has done something that another configuration could not go on with, or is under way. */
async function hasBegun(directory: string): Promise<boolean> {
  if (await WriterLock.isHeld(directory)) return true;
  if ((await listIfThere(directory)).some((name) => iterationOf(name) !== undefined)) return true;
  const sizes = await Promise.all(LOGS.map((name) => sizeOf(join(directory, name))));
  return sizes.some((size) => size > 0);
}

/** Size of a file; 0 where it is not there. */
async function sizeOf(path: string): Promise<number> {
  const file = await openIfThere(path);
  if (file === undefined) return 0;
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** Keeps a copy of Python's configuration. The first stays: a call that was killed here may have put ours in its place. */
async function keepCopy(path: string): Promise<void> {
  try {
    await copyFile(path, `${path}.before_tinkex`, constants.COPYFILE_EXCL);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** Reads a JSON object; undefined where it is not there. @throws ValidationError for a file that holds something else */
async function readObject(path: string): Promise<JsonObject | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const value = readPythonJson(text);
    checkObject(value, "its content");
    return value as JsonObject; // read from JSON
  } catch (cause) {
    throw new ValidationError(
      `openRun: ${path} must be a JSON object, and is broken (${errorMessage(cause)}); remove it, or choose another directory`,
      { cause },
    );
  }
}
