import { randomUUID } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { removeUnfinished, unfinishedPath } from "./remove-unfinished.js";

/** Reading and writing for the owner alone: what is written is a secret, or somebody's weights. */
const FILE_MODE = 0o600;

/** Options of {@link replaceFile}. */
export interface ReplaceOptions {
  /** The file is its owner's alone; else whoever may read new files may read it. @defaultValue true */
  readonly isPrivate?: boolean;
  /** Waits until the disk has the file, so that a power loss leaves the old one or all of the new one. @defaultValue true */
  readonly flush?: boolean;
}

/**
 * Puts a file in the place of `target` in one step: whoever looks there sees what was there before, or all of the new file.
 * Until then it grows beside the target under a random name that did not exist, so that two writers never share one and no
 * link is followed. A failure takes away this file and no other; what a killed process left is taken away by
 * the next write of the same target.
 *
 * @param write - fills the file; what it throws keeps the target as it was
 * @returns what `write` gave
 * @throws what `write` and the file system throw
 */
export async function replaceFile<T>(
  target: string,
  write: (file: FileHandle) => Promise<T>,
  { isPrivate = true, flush = true }: ReplaceOptions = {},
): Promise<T> {
  const partial = unfinishedPath(target, randomUUID());
  // "wx" is O_CREAT with O_EXCL, which fails on whatever stands there, a link that leads nowhere included.
  const file = await open(partial, "wx", isPrivate ? FILE_MODE : undefined);
  try {
    let result: T;
    try {
      // The umask may have taken bits away from the mode that was asked for.
      if (isPrivate) await file.chmod(FILE_MODE);
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
