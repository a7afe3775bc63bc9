import { rename } from "node:fs/promises";
import { renameDurably } from "../files/durable-names.js";
import { isThere } from "../files/is-there.js";

/** Paths of one file system. */
export interface Replacement {
  readonly target: string;
  /** Becomes `target`. */
  readonly successor: string;
  /** Place where the old `target` waits meanwhile; its parent folder must be there. */
  readonly retired: string;
  /** Removes the old one from `retired`, once another is in its place. */
  readonly discard: () => Promise<void>;
}

/**
 * Puts a directory in the place of another, which a rename cannot do by itself. When that fails the old one is put back, unless the
 * new one is in its place already; when not even that is possible, or the process ends half-way, it stays at `retired`.
 */
export async function replaceDirectory(replacement: Replacement): Promise<void> {
  const { target, successor, retired } = replacement;
  try {
    await renameDurably(target, retired);
    await renameDurably(successor, target);
  } catch (error) {
    await putBack(replacement).catch(() => {});
    throw error;
  }
  await replacement.discard();
}

/** A rename may have come about though it failed: the disk did not confirm it. */
async function putBack({ target, retired, discard }: Replacement): Promise<void> {
  if (!(await isThere(target))) await rename(retired, target);
  else if (await isThere(retired)) await discard();
}
