import { join } from "node:path";
import type { Clock } from "@tinkex/base";
import { userFailure } from "../errors/operation-failure.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import { renameDurably, syncFolder } from "../files/durable-names.js";
import { isFileError } from "../files/is-file-error.js";
import { isThere } from "../files/is-there.js";
import { makePrivateDirectory } from "../files/make-private-directory.js";
import { replacePrivateFile, writePrivateFile } from "../files/write-private-file.js";
import { TaskQueues } from "../order/task-queues.js";
import {
  CHECKPOINT_KINDS,
  type CheckpointKind,
  type CheckpointPlace,
  type CheckpointRecord,
  checkpointRecordSchema,
  checkpointUri,
} from "./checkpoint-record.js";
import { CHECKPOINT_FILE, type DataLayout, isCheckpointName, isRunId } from "./data-layout.js";
import { ExpiryWatch } from "./expiry-watch.js";
import { mapInBatches } from "./map-in-batches.js";
import { OwnedFolder } from "./owned-folder.js";
import type { RecordReader } from "./record-reader.js";
import { recordText } from "./record-text.js";
import { replaceDirectory } from "./replace-directory.js";
import { listRunIds } from "./run-folders.js";

export interface SaveCheckpoint
  extends Omit<CheckpointRecord, "size_bytes" | "created_at" | "expires_at" | "is_public"> {
  /** The checkpoint is hidden and removed this many seconds after its creation. */
  readonly ttlSeconds?: number | undefined;
  /** Replaces an existing checkpoint of this name; without it one is a failure. */
  readonly mayOverwrite: boolean;
}

export interface CheckpointChange {
  readonly isPublic?: boolean;
  /** `null`: kept for ever. */
  readonly ttlSeconds?: number | null;
}

/**
 * Checkpoints on disk, one folder each: a reader sees a whole one or none. The place of a folder says which checkpoint it
 * is; a record that says otherwise, as in a copied folder, is passed over, and its folder is neither read nor changed.
 */
export class CheckpointStore {
  readonly #layout: DataLayout;
  readonly #clock: Clock;
  readonly #reader: RecordReader;
  /** Folders of saves under way, and of failed ones, into which an engine that is being closed may still write. */
  readonly #unfinished = new Set<OwnedFolder>();
  /** Changes of one checkpoint, one after another: each begins with what the one before has left. */
  readonly #changes = new TaskQueues();
  readonly #expiries: ExpiryWatch;
  #firstLook: Promise<unknown> | undefined;

  constructor(layout: DataLayout, clock: Clock, reader: RecordReader) {
    this.#layout = layout;
    this.#clock = clock;
    this.#reader = reader;
    this.#expiries = new ExpiryWatch(clock, {
      look: ({ training_run_id: runId, kind, name }) => this.read(runId, kind, name),
      onFailure: (place, error) => this.#warnOfExpired(place, error),
    });
  }

  /**
   * Removes checkpoints at the moment they expire from now on, those of earlier servers too: it reads all that there are, and does
   * not wait until that is done.
   */
  watchExpiry(): void {
    this.#firstLook ??= this.listAll().then(
      (records) => {
        for (const record of records) this.#expiries.found(record);
      },
      (error: unknown) =>
        this.#reader.warn(this.#layout.runs, `cannot be searched for what has expired (${reasonOf(error)})`),
    );
    this.#expiries.start();
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
    const { ttlSeconds, mayOverwrite, ...identity } = checkpoint;
    const { training_run_id: runId, kind, name } = identity;
    if (!isCheckpointName(name)) {
      throw userFailure(
        `path must be a name of at most 255 letters, digits, "_", "-" and ".", got "${name}"`,
      );
    }
    if (!mayOverwrite && (await this.read(runId, kind, name)) !== undefined) {
      throw userFailure(takenNameMessage(runId, kind, name));
    }
    const staging = OwnedFolder.named(this.#layout.staging(runId));
    this.#unfinished.add(staging);
    try {
      await staging.make(this.#layout.root);
      const staged = join(staging.path, name);
      const sizeBytes = await write(staged);
      const record: CheckpointRecord = {
        ...identity,
        size_bytes: sizeBytes,
        created_at: this.#time(0),
        ...(ttlSeconds === undefined ? {} : { expires_at: this.#time(ttlSeconds) }),
      };
      await writePrivateFile(join(staged, CHECKPOINT_FILE), recordText(record));
      await syncFolder(staged);
      await this.#changes.run(checkpointUri(record), async () => {
        await this.#publish(record, staged, mayOverwrite);
        // Before the next change of this checkpoint, which may give it another end.
        this.#expiries.note(record);
      });
      await staging.remove();
      this.#unfinished.delete(staging);
      return record;
    } catch (error) {
      // Files that are still being written cannot be removed yet; `close` comes back for them.
      await staging.remove().catch(() => {});
      throw error;
    }
  }

  /** Ends the watch on what expires, and removes what failed saves left behind, once nothing writes any more. */
  async close(): Promise<void> {
    await this.#firstLook;
    await this.#expiries.close();
    for (const staging of this.#unfinished) await staging.remove();
    this.#unfinished.clear();
  }

  /** The checkpoint, unless there is none or its time is over. */
  async read(runId: string, kind: CheckpointKind, name: string): Promise<CheckpointRecord | undefined> {
    if (!isRunId(runId) || !isCheckpointName(name)) return undefined;
    const place = { training_run_id: runId, kind, name };
    const record = await this.#look(place);
    return record === undefined || !this.#isOver(record) ? record : this.#expire(place);
  }

  /** Checkpoints of one run, newest first. */
  async list(runId: string): Promise<CheckpointRecord[]> {
    if (!isRunId(runId)) return [];
    const perKind = await Promise.all(
      CHECKPOINT_KINDS.map(async (kind) => {
        const names = await this.#reader.foldersIn(this.#layout.checkpoints(runId, kind));
        return mapInBatches(names.filter(isCheckpointName), (name) => this.read(runId, kind, name));
      }),
    );
    return newestFirst(perKind.flat());
  }

  /** Checkpoints of all runs, newest first. */
  async listAll(): Promise<CheckpointRecord[]> {
    const perRun: CheckpointRecord[][] = [];
    for (const runId of await listRunIds(this.#layout, this.#reader)) perRun.push(await this.list(runId));
    return newestFirst(perRun.flat());
  }

  /**
   * Changes what is noted of a checkpoint: its end, so many seconds from now or never, and who may read it.
   *
   * @throws RequestRefusal 404 when it is gone meanwhile; TinkexError when a link or a file is in the way
   */
  async update(place: CheckpointPlace, change: CheckpointChange): Promise<CheckpointRecord> {
    return this.#changes.run(checkpointUri(place), async () => {
      const checkpoint = await this.#present(place);
      const { isPublic = checkpoint.is_public, ttlSeconds } = change;
      const { is_public: _public, expires_at: known, ...rest } = checkpoint;
      const end = ttlSeconds === undefined ? known : ttlSeconds === null ? undefined : this.#time(ttlSeconds);
      const record: CheckpointRecord = {
        ...rest,
        ...(isPublic === true && { is_public: true }),
        ...(end === undefined ? {} : { expires_at: end }),
      };
      await replacePrivateFile(join(this.directory(record), CHECKPOINT_FILE), recordText(record));
      this.#expiries.note(record);
      return record;
    });
  }

  /**
   * Has the files of a checkpoint read as those of one and the same: nobody replaces or removes them before `read` has ended.
   *
   * @throws RequestRefusal 404 when it is gone meanwhile; what `read` throws
   */
  async withFiles<T>(place: CheckpointPlace, read: (directory: string) => Promise<T>): Promise<T> {
    return this.#changes.run(checkpointUri(place), async () =>
      read(this.directory(await this.#present(place))),
    );
  }

  /** Removes the checkpoint of this place, if there is one. @throws TinkexError when a link or a file is in the way */
  async delete(place: CheckpointPlace): Promise<void> {
    await this.#changes.run(checkpointUri(place), async () => {
      const checkpoint = await this.#current(place);
      if (checkpoint !== undefined) await this.#remove(checkpoint);
    });
  }

  /** Directory of a checkpoint. Another checkpoint may come into its place while its files are opened one by one. */
  directory(place: CheckpointPlace): string {
    return this.#layout.checkpoint(place);
  }

  /** The checkpoint at this place, though its time may be over. */
  async #look({ training_run_id, kind, name }: CheckpointPlace): Promise<CheckpointRecord | undefined> {
    const place = { training_run_id, kind, name };
    if (!(await this.#reader.hasFolder(this.directory(place)))) return undefined;
    return this.#reader.read(join(this.directory(place), CHECKPOINT_FILE), checkpointRecordSchema, place);
  }

  #isOver({ expires_at: expiresAt }: CheckpointRecord): boolean {
    return expiresAt !== undefined && Date.parse(expiresAt) <= this.#clock.now();
  }

  /** Removes a checkpoint whose time is over. Returns the one that was saved in its place, or kept for longer, meanwhile. */
  #expire(place: CheckpointPlace): Promise<CheckpointRecord | undefined> {
    return this.#changes.run(checkpointUri(place), () => this.#current(place));
  }

  /** The checkpoint of this place as a change of it finds it; removed first when its time is over. For tasks of `#changes` only. */
  async #current(place: CheckpointPlace): Promise<CheckpointRecord | undefined> {
    const { training_run_id: runId, name } = place;
    if (!isRunId(runId) || !isCheckpointName(name)) return undefined;
    const record = await this.#look(place);
    if (record === undefined || !this.#isOver(record)) return record;
    await this.#remove(record).catch((error: unknown) => this.#warnOfExpired(place, error));
    return undefined;
  }

  /** The checkpoint that somebody has just found at this place. For tasks of `#changes` only. @throws RequestRefusal 404 */
  async #present(place: CheckpointPlace): Promise<CheckpointRecord> {
    const checkpoint = await this.#current(place);
    if (checkpoint !== undefined) return checkpoint;
    throw new RequestRefusal(404, `checkpoint "${checkpointUri(place)}" is gone: it was deleted meanwhile`);
  }

  #warnOfExpired(place: CheckpointPlace, error: unknown): void {
    this.#reader.warn(this.directory(place), `has expired and cannot be removed (${reasonOf(error)})`);
  }

  /** Moves a checkpoint away as a whole before its files go one by one. Its record was read, and agrees with its place. */
  async #remove(checkpoint: CheckpointRecord): Promise<void> {
    const doomed = OwnedFolder.named(this.#layout.staging(checkpoint.training_run_id));
    const directory = this.directory(checkpoint);
    try {
      try {
        await doomed.make(this.#layout.root);
        await renameDurably(directory, join(doomed.path, checkpoint.name));
      } catch (error) {
        // Nothing else would make room again.
        if (!isFileError(error, "ENOSPC", "EDQUOT") || !(await isThere(directory))) throw error;
        await doomed.remove();
        await doomed.makeOf(directory, CHECKPOINT_FILE);
      }
    } catch (error) {
      // Somebody else may have removed it just now, and then there is nothing left to do.
      if (!isFileError(error, "ENOENT") || (await isThere(directory))) throw error;
    } finally {
      await doomed.remove();
    }
  }

  async #publish(record: CheckpointRecord, staged: string, mayOverwrite: boolean): Promise<void> {
    const { training_run_id: runId, kind, name } = record;
    const { root } = this.#layout;
    const target = this.directory(record);
    await makePrivateDirectory(root, this.#layout.checkpoints(runId, kind));
    const known = await this.#current(record);
    if (!(await isThere(target))) return renameDurably(staged, target);
    if (known === undefined) {
      throw userFailure(
        `path "${name}" must be free or a checkpoint of this server, got something else at ${target}: ` +
          "choose another name, or move it away",
      );
    }
    if (!mayOverwrite) throw userFailure(takenNameMessage(runId, kind, name));
    // If the process ends half-way, the next start finds the old checkpoint among the retired and puts it back. Its name
    // may be as long as a name can be, so that what else must be known stands in a folder around it.
    const retirement = OwnedFolder.named(this.#layout.retired(runId), kind);
    await retirement.make(root);
    // Durably, or else a loss of power might bring the old checkpoint back after its successor was deleted.
    const discard = async () => {
      const doomed = await retirement.moveTo(root, this.#layout.staging(runId));
      await doomed.remove();
    };
    try {
      await replaceDirectory({ target, successor: staged, retired: join(retirement.path, name), discard });
    } finally {
      await retirement.removeIfEmpty();
    }
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

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function newestFirst(records: readonly (CheckpointRecord | undefined)[]): CheckpointRecord[] {
  return records
    .filter((record) => record !== undefined)
    .sort((a, b) => b.created_at.localeCompare(a.created_at) || b.name.localeCompare(a.name));
}
