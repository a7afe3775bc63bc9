import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ValidationError } from "@tinkex/base";

/**
 * Makes a directory with these files and sees to it that their content is on the disk. A failure leaves no directory;
 * a process killed meanwhile leaves an unfinished one, so write under a temporary name and rename what is complete.
 *
 * @throws ValidationError when the directory is there already
 */
export async function writeNewDirectory(
  directory: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  await makeDirectory(directory);
  try {
    for (const [name, bytes] of files) await writeDurably(join(directory, name), bytes);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
    throw new ValidationError(`${directory} is there already. Write to a new directory.`, { cause });
  }
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
