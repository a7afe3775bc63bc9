import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DataLayout } from "../disk/data-layout.js";
import { isUnused } from "../disk/is-unused.js";
import { isHolderGone, type LockSurroundings, lockDirectory } from "../lock/lock-directory.js";

/** Beginning of the name of a data directory that a server makes for itself; six letters or digits follow. */
export const TEMPORARY_PREFIX = "tinkex-";
const TEMPORARY_NAME = /^tinkex-[A-Za-z0-9]{6}$/;

/**
 * Removes what nobody needs of a data directory that was made for one server: all of it where it holds no checkpoint and nothing of
 * others, else the copies of base models, which can be made again. Its lock must be held.
 */
export async function removeUnneeded(layout: DataLayout): Promise<void> {
  const isEmpty = await isUnused(layout).catch(() => false);
  await rm(isEmpty ? layout.root : layout.modelWeights, { recursive: true, force: true });
}

/**
 * Removes what nobody needs of the temporary data directories of servers that were killed. It takes the lock of each, and passes over
 * those whose server may still run, those of other users, and what is none of them.
 *
 * @param parent - folder of temporary files
 */
export async function removeAbandoned(parent: string, surroundings: LockSurroundings): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((found) => TEMPORARY_NAME.test(found))) {
    const path = join(parent, name);
    try {
      if (await isOwnFolder(path)) await removeIfAbandoned(path, surroundings);
    } catch (error) {
      surroundings.logger.debug(`the data of a server that was killed stays in ${path}`, { error });
    }
  }
}

async function isOwnFolder(path: string): Promise<boolean> {
  const found = await lstat(path);
  return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
}

async function removeIfAbandoned(path: string, surroundings: LockSurroundings): Promise<void> {
  const layout = new DataLayout(path);
  if (!(await isHolderGone(layout.lock, surroundings.processes))) return;
  // Somebody may start a server on it by name at this moment.
  const lock = await lockDirectory(layout.lock, path, surroundings);
  try {
    await removeUnneeded(layout);
  } finally {
    await lock.release();
  }
}
