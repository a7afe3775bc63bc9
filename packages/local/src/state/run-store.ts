import { mkdir } from "node:fs/promises";
import type { RunRecord } from "./checkpoint-record.js";
import type { DataLayout } from "./data-layout.js";
import { listRunIds } from "./list-run-ids.js";
import { readRecord } from "./read-record.js";
import { isRunId } from "./safe-names.js";
import { writeJsonFile } from "./write-json-file.js";

/**
 * Training runs on disk. Nothing is kept in memory: the directory is the truth, so that a restarted server, or a second
 * one on the same directory, knows what the first one knew.
 */
export class RunStore {
  readonly #layout: DataLayout;

  constructor(layout: DataLayout) {
    this.#layout = layout;
  }

  async save(run: RunRecord): Promise<void> {
    await mkdir(this.#layout.run(run.training_run_id), { recursive: true });
    await writeJsonFile(this.#layout.runFile(run.training_run_id), run);
  }

  async read(runId: string): Promise<RunRecord | undefined> {
    return isRunId(runId) ? readRecord<RunRecord>(this.#layout.runFile(runId)) : undefined;
  }

  /** All runs, newest first. */
  async list(): Promise<RunRecord[]> {
    const runs = await Promise.all((await listRunIds(this.#layout)).map((runId) => this.read(runId)));
    return runs
      .filter((run) => run !== undefined)
      .sort(
        (a, b) =>
          b.created_at.localeCompare(a.created_at) || b.training_run_id.localeCompare(a.training_run_id),
      );
  }
}
