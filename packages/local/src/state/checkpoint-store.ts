import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@tinkex/types";
import { CHECKPOINT_KINDS, type CheckpointKind, type CheckpointRecord } from "./checkpoint-record.js";
import { CHECKPOINT_FILE, type DataLayout } from "./data-layout.js";
import { retiredName, stagingName } from "./leftovers.js";
import { listRunIds } from "./list-run-ids.js";
import { userFailure } from "./operation-failure.js";
import { entriesOf, readRecord } from "./read-record.js";
import { isCheckpointName, isRunId } from "./safe-names.js";
import { writeJsonFile } from "./write-json-file.js";

export interface SaveCheckpoint extends Omit<CheckpointRecord, "size_bytes" | "created_at" | "expires_at"> {
  /** The checkpoint is hidden and removed this many seconds after its creation. */
  readonly ttlSeconds?: number | undefined;
  /** Whether an existing checkpoint of this name is replaced; otherwise it is a failure. */
  readonly overwrite: boolean;
}

/** Checkpoints on disk, one folder each: a reader sees a whole one or none. */
export class CheckpointStore {
  readonly #layout: DataLayout;
  readonly #clock: Clock;

  constructor(layout: DataLayout, clock: Clock) {
    this.#layout = layout;
    this.#clock = clock;
  }

  /**
   * Makes a checkpoint from what `write` puts into the directory it is given (which does not exist yet); `write`
   * resolves with the number of bytes.
   *
   * @throws OperationFailure `user` for a name that is taken or cannot be a name
   */
  async save(
    checkpoint: SaveCheckpoint,
    write: (directory: string) => Promise<number>,
  ): Promise<CheckpointRecord> {
    const { ttlSeconds, overwrite, ...identity } = checkpoint;
    const { training_run_id: runId, kind, name } = identity;
    if (!isCheckpointName(name)) {
      throw userFailure(
        `path "${name}" cannot be the name of a checkpoint: use letters, digits, "_", "-" and ".", at most 255 characters.`,
      );
    }
    if (!overwrite && (await this.read(runId, kind, name)) !== undefined) {
      throw userFailure(takenNameMessage(runId, kind, name));
    }
    const staging = join(this.#layout.staging(runId), stagingName());
    await mkdir(staging, { recursive: true });
    try {
      const staged = join(staging, name);
      const sizeBytes = await write(staged);
      const record: CheckpointRecord = {
        ...identity,
        size_bytes: sizeBytes,
        created_at: this.#time(0),
        ...(ttlSeconds === undefined ? {} : { expires_at: this.#time(ttlSeconds) }),
      };
      await writeJsonFile(join(staged, CHECKPOINT_FILE), record);
      await this.#publish(record, staged);
      return record;
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  /** The checkpoint, unless there is none or its time is over. */
  async read(runId: string, kind: CheckpointKind, name: string): Promise<CheckpointRecord | undefined> {
    if (!isRunId(runId) || !isCheckpointName(name)) return undefined;
    const directory = this.#layout.checkpoint(runId, kind, name);
    const record = await readRecord<CheckpointRecord>(join(directory, CHECKPOINT_FILE));
    if (record?.expires_at === undefined || Date.parse(record.expires_at) > this.#clock.now()) return record;
    await this.delete(record);
    return undefined;
  }

  /** Checkpoints of one run, newest first. */
  async list(runId: string): Promise<CheckpointRecord[]> {
    if (!isRunId(runId)) return [];
    const perKind = await Promise.all(
      CHECKPOINT_KINDS.map(async (kind) => {
        const names = await entriesOf(this.#layout.checkpoints(runId, kind));
        return Promise.all(names.map((name) => this.read(runId, kind, name)));
      }),
    );
    return newestFirst(perKind.flat());
  }

  /** Checkpoints of all runs, newest first. */
  async listAll(): Promise<CheckpointRecord[]> {
    const runIds = await listRunIds(this.#layout);
    return newestFirst((await Promise.all(runIds.map((runId) => this.list(runId)))).flat());
  }

  async delete(checkpoint: Pick<CheckpointRecord, "training_run_id" | "kind" | "name">): Promise<void> {
    const { training_run_id: runId, kind, name } = checkpoint;
    const doomed = join(this.#layout.staging(runId), stagingName());
    await mkdir(this.#layout.staging(runId), { recursive: true });
    // Somebody else may have removed it just now, and then there is nothing left to do.
    await rename(this.#layout.checkpoint(runId, kind, name), doomed).catch(() => {});
    await rm(doomed, { recursive: true, force: true });
  }

  /** Where the engine reads a checkpoint from. */
  directory(checkpoint: Pick<CheckpointRecord, "training_run_id" | "kind" | "name">): string {
    return this.#layout.checkpoint(checkpoint.training_run_id, checkpoint.kind, checkpoint.name);
  }

  async #publish(record: CheckpointRecord, staged: string): Promise<void> {
    const { training_run_id: runId, kind, name } = record;
    const target = this.directory(record);
    await mkdir(this.#layout.checkpoints(runId, kind), { recursive: true });
    if (!(await exists(target))) return rename(staged, target);
    // A folder cannot be renamed onto a filled one. If the process ends between the two renames, the next start
    // finds the old checkpoint among the retired and puts it back.
    const retired = join(this.#layout.retired(runId), retiredName(kind, name));
    await mkdir(this.#layout.retired(runId), { recursive: true });
    await rename(target, retired);
    await rename(staged, target);
    await rm(retired, { recursive: true, force: true });
  }

  #time(secondsFromNow: number): string {
    return new Date(this.#clock.now() + secondsFromNow * 1000).toISOString();
  }
}

/** In the words of the hosted service. */
export function takenNameMessage(runId: string, kind: CheckpointKind, name: string): string {
  return (
    `Checkpoint '${name}' already exists for model ${runId} in ${kind}. Please choose a different name to avoid ` +
    "overwriting."
  );
}

function newestFirst(records: readonly (CheckpointRecord | undefined)[]): CheckpointRecord[] {
  return records
    .filter((record) => record !== undefined)
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || b.name.localeCompare(a.name));
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
