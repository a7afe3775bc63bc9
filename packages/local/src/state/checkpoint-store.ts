import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@tinkex/base";
import { CHECKPOINT_KINDS, type CheckpointKind, type CheckpointRecord } from "./checkpoint-record.js";
import { CHECKPOINT_FILE, type DataLayout } from "./data-layout.js";
import { retirementName } from "./leftovers.js";
import { listRunIds } from "./list-run-ids.js";
import { userFailure } from "./operation-failure.js";
import { ownedName } from "./owned-name.js";
import { entriesOf, readRecord } from "./read-record.js";
import { replaceDirectory } from "./replace-directory.js";
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
  /** Folders of saves under way, and of failed ones, into which an engine that is being closed may still write. */
  readonly #unfinished = new Set<string>();

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
    const staging = join(this.#layout.staging(runId), ownedName());
    this.#unfinished.add(staging);
    try {
      await mkdir(staging, { recursive: true });
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
      await rm(staging, { recursive: true, force: true });
      this.#unfinished.delete(staging);
      return record;
    } catch (error) {
      // What is still being written cannot be removed yet; `close` comes back for it.
      await rm(staging, { recursive: true, force: true }).catch(() => {});
      throw error;
    }
  }

  /** Removes what failed saves left behind, once nothing writes any more. */
  async close(): Promise<void> {
    for (const staging of this.#unfinished) await rm(staging, { recursive: true, force: true });
    this.#unfinished.clear();
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
    const doomed = join(this.#layout.staging(runId), ownedName());
    await mkdir(this.#layout.staging(runId), { recursive: true });
    try {
      await rename(this.#layout.checkpoint(runId, kind, name), doomed);
    } catch (error) {
      // Somebody else may have removed it just now, and then there is nothing left to do.
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
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
    // If the process ends half-way, the next start finds the old checkpoint among the retired and puts it back. Its name
    // may be as long as a name can be, so that what else must be known stands in a folder around it.
    const retired = join(this.#layout.retired(runId), retirementName(kind), name);
    await replaceDirectory({ target, successor: staged, retired });
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
