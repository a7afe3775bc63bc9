import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { isFileError } from "./is-file-error.js";

/** Codes by which a system says that it does not sync folders. Windows is one; it has nothing to be done in its place. */
const UNSUPPORTED = ["EISDIR", "EPERM", "EINVAL", "ENOTSUP"] as const;

/** Sees to it that the names in a folder are on the disk: until then a loss of power may undo what was made, moved or removed there. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!isFileError(error, ...UNSUPPORTED)) throw error;
  }
}

/** Renames for good: once it resolves, a loss of power does not undo it. The parent folder of `to` must be there. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
  if (dirname(from) !== dirname(to)) await syncFolder(dirname(from));
}
