import { rm } from "node:fs/promises";
import { renameDurably } from "../files/durable-names.js";

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
  await renameDurably(target, retired);
  await renameDurably(successor, target).catch(async (error: unknown) => {
    await renameDurably(retired, target).catch(() => {});
    throw error;
  });
  await rm(retired, { recursive: true, force: true });
}
