import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";

/** Paths of one file system. */
export interface Replacement {
  readonly target: string;
  /** What becomes `target`. */
  readonly successor: string;
  /** Where the old `target` waits meanwhile; its parent folder is made and removed again. */
  readonly retired: string;
}

/**
 * Puts a directory in the place of another, which a rename cannot do by itself. When that fails the old one is put back;
 * when not even that is possible, or the process ends half-way, it stays at `retired`.
 */
export async function replaceDirectory({ target, successor, retired }: Replacement): Promise<void> {
  const retirement = dirname(retired);
  await mkdir(retirement, { recursive: true });
  try {
    await rename(target, retired);
    await rename(successor, target).catch(async (error: unknown) => {
      await rename(retired, target).catch(() => {});
      throw error;
    });
    await rm(retired, { recursive: true, force: true });
  } finally {
    // Removes an empty folder only.
    await rmdir(retirement).catch(() => {});
  }
}
