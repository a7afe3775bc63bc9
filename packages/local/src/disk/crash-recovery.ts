import { rm } from "node:fs/promises";
import { join } from "node:path";
import { renameDurably } from "../files/durable-names.js";
import { isThere } from "../files/is-there.js";
import { makePrivateDirectory } from "../files/make-private-directory.js";
import { removeUnfinished } from "../files/write-private-file.js";
import { CHECKPOINT_KINDS, checkpointRecordSchema } from "./checkpoint-record.js";
import { CHECKPOINT_FILE, type DataLayout, isCheckpointName, RUN_FILE } from "./data-layout.js";
import { OwnedFolder } from "./owned-folder.js";
import type { RecordReader } from "./record-reader.js";
import { listRunIds } from "./run-folders.js";

/**
 * Cleans up after servers that were killed: removes unfinished saves and what belonged to sampling sessions, puts back
 * checkpoints whose replacement never came. Touches nothing that does not bear a server's mark.
 *
 * Call it while holding the lock of the directory: whatever bears a mark then belongs to nobody.
 */
export async function recoverFromCrash(layout: DataLayout, reader: RecordReader): Promise<void> {
  await removeAll(layout.parked, reader);
  for (const runId of await listRunIds(layout, reader)) {
    await removeAll(layout.staging(runId), reader);
    for (const folder of await OwnedFolder.findIn(layout.retired(runId), reader)) {
      await attempt(folder.path, reader, async () => {
        if (await restore(layout, runId, folder, reader)) await folder.removeIfEmpty();
        else await (await folder.moveTo(layout.root, layout.staging(runId))).remove();
      });
    }
    await removeUnfinishedRecords(layout, runId, reader);
  }
}

/** Removes records that a server was replacing when it ended: they lie beside the files that a checkpoint consists of. */
async function removeUnfinishedRecords(
  layout: DataLayout,
  runId: string,
  reader: RecordReader,
): Promise<void> {
  await attempt(layout.run(runId), reader, () => removeUnfinished(layout.run(runId), RUN_FILE));
  for (const kind of CHECKPOINT_KINDS) {
    for (const name of (await reader.foldersIn(layout.checkpoints(runId, kind))).filter(isCheckpointName)) {
      const directory = layout.checkpoint({ training_run_id: runId, kind, name });
      await attempt(directory, reader, () => removeUnfinished(directory, CHECKPOINT_FILE));
    }
  }
}

async function removeAll(parent: string, reader: RecordReader): Promise<void> {
  for (const folder of await OwnedFolder.findIn(parent, reader)) {
    await attempt(folder.path, reader, () => folder.remove());
  }
}

/** A folder that cannot be cleaned up is no reason not to start. */
async function attempt(path: string, reader: RecordReader, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    reader.warn(path, `holds what another server has left, which cannot be cleaned up (${reason})`);
  }
}

/**
 * Puts the retired checkpoint back into its place.
 *
 * @returns false where all that the folder holds is to be removed, since its successor is there
 */
async function restore(
  layout: DataLayout,
  runId: string,
  folder: OwnedFolder,
  reader: RecordReader,
): Promise<boolean> {
  const kind = CHECKPOINT_KINDS.find((known) => known === folder.purpose);
  if (kind === undefined) return true;
  for (const name of await reader.foldersIn(folder.path)) {
    const place = { training_run_id: runId, kind, name };
    const isCheckpoint = async (directory: string) =>
      (await reader.hasFolder(directory)) &&
      (await reader.read(join(directory, CHECKPOINT_FILE), checkpointRecordSchema, place)) !== undefined;
    const retired = join(folder.path, name);
    const target = layout.checkpoint(place);
    if (!(await isCheckpoint(retired))) continue;
    if (await isCheckpoint(target)) {
      const others = (await folder.contents()).filter((other) => other !== name);
      if (others.length === 0) return false;
      // Somebody has put more there, which stays.
      await rm(retired, { recursive: true, force: true });
    } else if (await isThere(target)) {
      reader.warn(retired, "was to be put back, and something else is in its place");
    } else {
      await makePrivateDirectory(layout.root, layout.checkpoints(runId, kind));
      await renameDurably(retired, target);
    }
  }
  return true;
}
