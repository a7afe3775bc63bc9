import { access, constants, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ValidationError } from "@tinkex/base";
import { makeFolders } from "@tinkex/base/node";
import { DataLayout } from "../disk/data-layout.js";
import { syncFolder } from "../files/durable-names.js";
import { makePrivateDirectory, PRIVATE_DIRECTORY_MODE } from "../files/make-private-directory.js";
import { type DirectoryLock, type LockSurroundings, lockDirectory } from "../lock/lock-directory.js";
import { removeAbandoned, removeUnneeded, TEMPORARY_PREFIX } from "./temporary-data.js";

/** A data directory that this server alone may write to. */
export interface DataDirectory {
  readonly layout: DataLayout;
  readonly lock: DirectoryLock;
  /**
   * Lets the next server have the directory, once nothing writes to it any more. One that was made for this server is
   * removed when no checkpoint was saved in it and nobody else put anything there; else its copies of base models are. May be called
   * twice.
   */
  close(): Promise<void>;
}

/**
 * Opens the directory a server keeps its runs in: the one it is given, or a new temporary one.
 *
 * @throws ValidationError when it cannot be made or written to, or another server has it
 */
export async function openDataDirectory(
  given: string | undefined,
  surroundings: LockSurroundings,
): Promise<DataDirectory> {
  if (given === undefined) await removeAbandoned(tmpdir(), surroundings);
  const path = given === undefined ? await mkdtemp(join(tmpdir(), TEMPORARY_PREFIX)) : resolve(given);
  const layout = new DataLayout(path);
  const shown = given ?? path;
  const lock = await usable(shown, async () => {
    await prepare(layout);
    return lockDirectory(layout.lock, shown, surroundings);
  });
  return {
    layout,
    lock,
    async close() {
      const isOurs = given === undefined && !lock.lost.aborted;
      if (isOurs) await removeUnneeded(layout);
      await lock.release();
    },
  };
}

async function prepare(layout: DataLayout): Promise<void> {
  await makeRoot(layout.root);
  for (const folder of [layout.runs, layout.lock]) {
    await makePrivateDirectory(layout.root, folder);
    await access(folder, constants.R_OK | constants.W_OK);
  }
}

/** Tells of a failure of the disk, such as one that is full, that the directory has it. */
async function usable<T>(shown: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (cause) {
    if (cause instanceof ValidationError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ValidationError(
      `dataDirectory "${shown}" cannot be used (${reason}); name a folder you may write to`,
      { path: ["dataDirectory"], cause },
    );
  }
}

async function makeRoot(root: string): Promise<void> {
  const first = await makeFolders(root, PRIVATE_DIRECTORY_MODE);
  if (first === undefined) return;
  for (let made = root; made.startsWith(first); made = dirname(made)) await syncFolder(dirname(made));
}
