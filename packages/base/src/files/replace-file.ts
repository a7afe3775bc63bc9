import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { checkTarget, withoutLinks } from "./check-target.js";
import { removeUnfinished, unfinishedPath } from "./remove-unfinished.js";

/** Reading and writing for the owner alone: what is written is a secret, or somebody's weights. */
const FILE_MODE = 0o600;

/** Options of {@link replaceFile}. */
export interface ReplaceOptions {
  /**
   * The file is its owner's alone; else it has the permissions and, where that is allowed, the owner of the one that was there, or
   * whoever may read new files may read it. @defaultValue true
   */
  readonly isPrivate?: boolean;
  /** A link that stands there stays, and the file that it leads to is replaced. @defaultValue the opposite of `isPrivate` */
  readonly keepsLink?: boolean;
  /** Waits until the disk has the file, so that a power loss leaves the old one or all of the new one. @defaultValue true */
  readonly flush?: boolean;
}

/**
 * Puts a file in the place of another in one step: whoever looks there sees what was there before, or all of the new file.
 * Until then it grows beside the target under a random name that did not exist, so that two writers never share one. A failure takes
 * away this file and no other; what a killed process left is taken away by the next write of the same target.
 *
 * @param path - of the file
 * @param write - fills the file; what it throws keeps the target as it was
 * @returns what `write` gave
 * @throws ValidationError for a folder and for no name, before `write` runs; what `write` and the file system throw
 */
export async function replaceFile<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
  { isPrivate = true, flush = true, keepsLink = !isPrivate }: ReplaceOptions = {},
): Promise<T> {
  await checkTarget(path, "replaceFile: path");
  const target = keepsLink ? await withoutLinks(path) : path;
  if (target !== path) await checkTarget(target, "replaceFile: path");
  const before = isPrivate ? undefined : await stat(target).catch(() => undefined);
  const mode = isPrivate ? FILE_MODE : before === undefined ? undefined : before.mode & 0o777;
  const partial = unfinishedPath(target, randomUUID());
  // "wx" is O_CREAT with O_EXCL, which fails on whatever stands there, a link that leads nowhere included.
  const file = await open(partial, "wx", mode);
  try {
    let result: T;
    try {
      if (before !== undefined) await takeOwner(file, before);
      // The umask may have taken bits away from the mode that was asked for.
      if (mode !== undefined) await file.chmod(mode);
      await removeUnfinished(target, partial);
      result = await write(file);
      if (flush) await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, target);
    return result;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Gives a file the owner and the group of another, or the group alone, where the system allows it. */
async function takeOwner(file: FileHandle, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  const own = await file.stat();
  if (own.uid === uid && own.gid === gid) return;
  await file.chown(uid, gid).catch(() => file.chown(own.uid, gid).catch(() => {}));
}
