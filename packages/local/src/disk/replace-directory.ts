import { rename, rm } from "node:fs/promises";

/** Paths of one file system. */
export interface Replacement {
  readonly target: string;
  /** Becomes `target`. */
  readonly successor: string;
  /** Place where the old `target` waits meanwhile; its parent folder must be there. */
  readonly retired: string;
}

/**
 * Puts a directory in the place of another, which a rename cannot do by itself. When that fails the old one is put back;
 * when not even that is possible, or the process ends half-way, it stays at `retired`.
 */
export async function replaceDirectory({ target, successor, retired }: Replacement): Promise<void> {
  await rename(target, retired);
  await rename(successor, target).catch(async (error: unknown) => {
    await rename(retired, target).catch(() => {});
    throw error;
  });
  await rm(retired, { recursive: true, force: true });
}
