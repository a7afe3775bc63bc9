import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { RequestRefusal } from "../errors/request-refusal.js";
import { isFileError } from "../files/is-file-error.js";
import { type OpenFile, openFile } from "../files/open-file.js";
import type { CheckpointRecord } from "./checkpoint-record.js";
import type { CheckpointStore } from "./checkpoint-store.js";
import { CHECKPOINT_FILE } from "./data-layout.js";
import { resolveCheckpoint } from "./resolve-checkpoint.js";

/** A checkpoint whose files are open: it can be read as a whole although it be deleted or replaced meanwhile. */
export interface OpenCheckpoint {
  readonly record: CheckpointRecord;
  /** Its own files, by name, without its record. */
  readonly files: readonly OpenFile[];
  /** Closes them. May be called twice. */
  close(): Promise<void>;
}

/** Gives the names of a checkpoint's own files: neither its record nor links, which anybody may have put there. */
export async function checkpointFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== CHECKPOINT_FILE)
    .map(({ name }) => name)
    .sort();
}

/** Times that a checkpoint is opened anew, when others replace it just then. */
const MAX_TRIES = 10;

/** Opens the checkpoint a `tinker://` path names. @throws as {@link resolveCheckpoint}; RequestRefusal 409 while it is replaced again and again */
export async function openCheckpoint(
  checkpoints: CheckpointStore,
  tinkerPath: string,
): Promise<OpenCheckpoint> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const record = await resolveCheckpoint(checkpoints, tinkerPath);
    const files = await openFiles(checkpoints.directory(record));
    if (files === undefined) continue;
    const close = async () => {
      for (const { file } of files) await file.close();
    };
    // One that has been replaced between its files would be a mixture of two.
    const after = await resolveCheckpoint(checkpoints, tinkerPath).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    if (after.created_at === record.created_at) return { record, files, close };
    await close();
  }
  throw new RequestRefusal(409, `"${tinkerPath}" is being replaced again and again; ask again later`);
}

/** Opens the files of a folder; `undefined` when one has gone meanwhile. */
async function openFiles(directory: string): Promise<readonly OpenFile[] | undefined> {
  const files: OpenFile[] = [];
  try {
    for (const name of await checkpointFiles(directory))
      files.push(await openFile(join(directory, name), name));
    return files;
  } catch (error) {
    for (const { file } of files) await file.close();
    if (isFileError(error, "ENOENT", "ENOTDIR", "ELOOP")) return undefined;
    throw error;
  }
}
