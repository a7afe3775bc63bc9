import { randomUUID } from "node:crypto";
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { renameDurably } from "./durable-names.js";

const PRIVATE_FILE_MODE = 0o600;

/**
 * Writes a new file for this user alone, whatever the umask, and sees to it that its content is on the disk. A file or a
 * link of that name is never written to: the call fails with `EEXIST`. Another failure leaves no file.
 */
export async function writePrivateFile(path: string, content: Uint8Array | string): Promise<void> {
  const file = await open(path, "wx", PRIVATE_FILE_MODE);
  try {
    await file.chmod(PRIVATE_FILE_MODE);
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw named(error, path);
  } finally {
    await file.close();
  }
}

/** Adds the file to an error such as `ENOSPC`, which the system gives without one once the file is open. */
function named(error: unknown, path: string): unknown {
  if (error instanceof Error && "code" in error && !("path" in error)) error.message += ` '${path}'`;
  return error;
}

/** Writes beside `path` under a name of its own and renames, so that a reader sees the old content or the new, also after a loss of power. */
export async function replacePrivateFile(path: string, content: Uint8Array | string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.part`;
  try {
    await writePrivateFile(temporary, content);
    await renameDurably(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

const UNFINISHED_SUFFIX = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;

/** Removes what replacements of a file have left beside it in processes that were killed. Nothing may write there meanwhile. */
export async function removeUnfinished(directory: string, fileName: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(fileName) || !UNFINISHED_SUFFIX.test(name.slice(fileName.length))) continue;
    await rm(join(directory, name), { force: true });
  }
}
