import { chmod, lstat, mkdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { TinkexError } from "@tinkex/base";
import { syncFolder } from "./durable-names.js";
import { isFileError } from "./is-file-error.js";

/** Read, write and enter for the owner, nothing for others. */
export const PRIVATE_DIRECTORY_MODE = 0o700;

/**
 * Makes `path`, and what is missing between it and `root`, for this user alone, whatever the umask, and sees to it
 * that they are on the disk. Directories that are there already keep their modes.
 *
 * @param root - a directory that exists, and contains `path`
 * @throws TinkexError `server_error` when a file or a symbolic link stands in the way: nothing is to be written elsewhere
 */
export async function makePrivateDirectory(root: string, path: string): Promise<void> {
  let place = root;
  for (const name of relative(root, path).split(sep)) {
    place = join(place, name);
    try {
      await mkdir(place, PRIVATE_DIRECTORY_MODE);
      await chmod(place, PRIVATE_DIRECTORY_MODE);
    } catch (cause) {
      if (!isFileError(cause, "EEXIST")) throw cause;
      await requireDirectory(place, cause);
    }
    // Also for one that is there: whoever made it just now may not have come to this yet.
    await syncFolder(dirname(place));
  }
}

async function requireDirectory(path: string, cause: unknown): Promise<void> {
  const found = await lstat(path);
  if (found.isDirectory()) return;
  const what = found.isSymbolicLink() ? "a symbolic link" : "a file";
  throw new TinkexError(`${path} must be a directory, got ${what} (EEXIST): move it away`, {
    code: "server_error",
    cause,
  });
}
