import { lstat } from "node:fs/promises";
import { isFileError } from "./is-file-error.js";

/** Looks for anything of this name, a link that leads nowhere included. */
export async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => !isFileError(error, "ENOENT", "ENOTDIR"),
  );
}
