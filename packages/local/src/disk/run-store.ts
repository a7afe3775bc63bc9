import { rm } from "node:fs/promises";
import { syncFolder } from "../files/durable-names.js";
import { makePrivateDirectory } from "../files/make-private-directory.js";
import { replacePrivateFile } from "../files/write-private-file.js";
import { type RunRecord, runRecordSchema } from "./checkpoint-record.js";
import type { DataLayout } from "./data-layout.js";
import { isRunId } from "./data-layout.js";
import { mapInBatches } from "./map-in-batches.js";
import type { RecordReader } from "./record-reader.js";
import { recordText } from "./record-text.js";
import { listRunIds } from "./run-folders.js";

/**
 * Training runs on disk. Nothing is kept in memory: the directory is the truth, so that a restarted server knows what the
 * one before knew.
 */
export class RunStore {
  readonly #layout: DataLayout;
  readonly #reader: RecordReader;

  constructor(layout: DataLayout, reader: RecordReader) {
    this.#layout = layout;
    this.#reader = reader;
  }

  /** @throws OperationFailure `user` for metadata that is too large; TinkexError when a link or a file is in the way */
  async save(run: RunRecord): Promise<void> {
    const text = recordText(run);
    await makePrivateDirectory(this.#layout.root, this.#layout.run(run.training_run_id));
    await replacePrivateFile(this.#layout.runFile(run.training_run_id), text);
  }

  /** Removes a run with all that it has, for one who has just made it. */
  async remove(runId: string): Promise<void> {
    await rm(this.#layout.run(runId), { recursive: true, force: true });
    await syncFolder(this.#layout.runs);
  }

  async read(runId: string): Promise<RunRecord | undefined> {
    if (!isRunId(runId) || !(await this.#reader.hasFolder(this.#layout.run(runId)))) return undefined;
    return this.#reader.read(this.#layout.runFile(runId), runRecordSchema, { training_run_id: runId });
  }

  /** All runs, newest first. */
  async list(): Promise<RunRecord[]> {
    const runIds = await listRunIds(this.#layout, this.#reader);
    const runs = await mapInBatches(runIds, (runId) => this.read(runId));
    return runs
      .filter((run) => run !== undefined)
      .sort(
        (a, b) =>
          b.created_at.localeCompare(a.created_at) || b.training_run_id.localeCompare(a.training_run_id),
      );
  }
}
