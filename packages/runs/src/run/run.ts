import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  checkArray,
  checkObject,
  checkString,
  describeValue,
  Mutex,
  ValidationError,
} from "@tinkex/base";
import { makeFolders } from "@tinkex/base/node";
import type { JsonObject } from "../lines/python-json.js";
import { appendLines, syncFiles, writeLines } from "../lines/write-lines.js";
import type { HeldLock } from "./lock-file.js";
import type { CheckpointRecord, RolloutSummary, RolloutTokens, TimingSpan } from "./records.js";
import { checkIteration, iterationFolder, RUN_FILES, rolloutsFile, rolloutTokensFile } from "./run-files.js";

/** Point at which a run goes on: the checkpoint to load, with its optimizer, and the first batch that is not in it. */
export interface ResumePoint {
  readonly checkpoint: CheckpointRecord;
  /** tinker:// path of weights and optimizer. */
  readonly statePath: string;
  /** The batch to train next. */
  readonly batch: number;
  /** True where the run had ended: nothing is left to train. */
  readonly isFinished: boolean;
}

/**
 * A run that is being written. Every method appends whole lines, one call after the other, and rejects where the file cannot be
 * written, or another call has opened the run since. `await using` closes it at the end of its block.
 */
export class Run implements AsyncDisposable {
  /** The folder of the run. */
  readonly directory: string;
  /** Point at which to go on; undefined for a run that begins. */
  readonly resumePoint: ResumePoint | undefined;
  readonly #clock: Clock;
  readonly #lock: HeldLock;
  /** Names of rollouts in lower case: a file system may take two that differ in case alone for one. */
  readonly #names = new Map<string, string>();
  readonly #turn = new Mutex();
  readonly #never = new AbortController().signal;

  /** @internal Made by `openRun`. */
  constructor(directory: string, resumePoint: ResumePoint | undefined, clock: Clock, lock: HeldLock) {
    this.directory = directory;
    this.resumePoint = resumePoint;
    this.#clock = clock;
    this.#lock = lock;
  }

  /** Lets another process go on with the run, once what was written before is on the disk. */
  async close(): Promise<void> {
    await this.#turn.runExclusive(this.#never, async () => this.#lock.release());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Appends a line of metrics.
   *
   * @param step - the step they belong to, from 0
   * @param metrics - numbers by name, e.g. `{ train_mean_nll: 1.2 }`; one that is named `step` is left out
   */
  async writeMetrics(step: number, metrics: JsonObject): Promise<void> {
    checkIteration("writeMetrics: step", step);
    checkObject(metrics, "writeMetrics: metrics", "{ train_mean_nll: 1.2 }");
    // The step stands first, as Python writes it; a metric of that name does not take its place, since going on relies on it.
    await this.#append(RUN_FILES.metrics, [Object.assign({ step }, metrics, { step })]);
  }

  /**
   * Appends a checkpoint. Call it once the checkpoint is saved and the metrics of all its steps are written: resuming relies on both. It outlasts
   * a loss of power, and so do the metrics before it.
   */
  async writeCheckpoint(record: CheckpointRecord): Promise<void> {
    checkObject(record, "writeCheckpoint: record", '{ name: "000020", batch: 20, state_path: "tinker://…" }');
    if (typeof record.name !== "string" || record.name === "") {
      throw new ValidationError(
        `writeCheckpoint: record.name must be a string, e.g. "000020", got ${describeValue(record.name)}`,
      );
    }
    await this.#write(async () => {
      const metrics = this.#path(RUN_FILES.metrics);
      const checkpoints = this.#path(RUN_FILES.checkpoints);
      await syncFiles([metrics]);
      await appendLines(checkpoints, [record]);
      await syncFiles([checkpoints]);
    });
  }

  /** Appends the times that a step spent in what. */
  async writeTimingSpans(step: number, spans: readonly TimingSpan[]): Promise<void> {
    checkIteration("writeTimingSpans: step", step);
    checkArray(spans, "writeTimingSpans: spans");
    if (spans.length > 0) await this.#append(RUN_FILES.timing, [{ step, spans }]);
  }

  /**
   * Writes the rollouts of an iteration, in place of those that are there.
   *
   * @param name - `train`, or `eval_` and a name
   */
  async writeRollouts(iteration: number, rollouts: readonly RolloutSummary[], name = "train"): Promise<void> {
    await this.#writeIteration(iteration, name, rolloutsFile(name), rollouts);
  }

  /** Writes the tokens of those rollouts of an iteration that are logged, in place of those that are there. */
  async writeRolloutTokens(
    iteration: number,
    rollouts: readonly RolloutTokens[],
    name = "train",
  ): Promise<void> {
    await this.#writeIteration(iteration, name, rolloutTokensFile(name), rollouts);
  }

  /** Appends a line for people to `logs.log`, with the time before it. */
  async writeLog(message: string): Promise<void> {
    checkString(message, "writeLog: message", "began");
    const time = new Date(this.#clock.now()).toISOString();
    const line = `${time} ${message.replaceAll("\n", "\n  ")}\n`;
    await this.#write(() => appendFile(this.#path(RUN_FILES.log), line));
  }

  async #append(file: string, rows: readonly object[]): Promise<void> {
    await this.#write(() => appendLines(this.#path(file), rows));
  }

  async #writeIteration(
    iteration: number,
    name: string,
    file: string,
    rows: readonly object[],
  ): Promise<void> {
    checkArray(rows, "rollouts");
    const key = name.toLowerCase();
    const other = this.#names.get(key) ?? name;
    if (other !== name) {
      throw new ValidationError(
        `the name of rollouts must differ from ${JSON.stringify(other)} in more than its case, got ${JSON.stringify(name)}`,
      );
    }
    this.#names.set(key, name);
    const folder = this.#path(iterationFolder(iteration));
    await this.#write(async () => {
      await makeFolders(folder);
      await writeLines(join(folder, file), rows);
    });
  }

  async #write(write: () => Promise<void>): Promise<void> {
    await this.#turn.runExclusive(this.#never, async () => {
      await this.#lock.check();
      await write();
    });
  }

  #path(name: string): string {
    return join(this.directory, name);
  }
}
