import { constants, lstat, open } from "node:fs/promises";
import { isFileError } from "./is-file-error.js";

/** The content of a small file, or the reason why it is not read; neither when there is no such file. */
export type SmallFile = { readonly text: string } | { readonly fault: string } | undefined;

/** Opens no link, and waits for no pipe's writer, should the file have changed since it was looked at. Windows has neither. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a file that anybody may have put there: only a regular one of `maxBytes` at most. */
export async function readSmallFile(path: string, maxBytes: number): Promise<SmallFile> {
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink()) return { fault: "is a symbolic link" };
    if (!found.isFile()) return { fault: "is no regular file" };
    if (found.size > maxBytes) return { fault: `must have at most ${maxBytes} bytes, got ${found.size}` };
    const file = await open(path, READ_FLAGS);
    try {
      return { text: await file.readFile("utf8") };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isFileError(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return undefined;
    if (isFileError(error, "EACCES", "EPERM", "EIO", "ELOOP")) return { fault: "cannot be read" };
    throw error;
  }
}
