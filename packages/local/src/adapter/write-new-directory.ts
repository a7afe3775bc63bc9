import { chmod, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { makeFolders } from "@tinkex/base/node";
import { isFileError } from "../files/is-file-error.js";
import { PRIVATE_DIRECTORY_MODE } from "../files/make-private-directory.js";
import { writePrivateFile } from "../files/write-private-file.js";

/**
 * Makes a directory with these files, for this user alone, and sees to it that their content is on the disk. A failure
 * leaves no directory; a process killed meanwhile leaves an unfinished one, so write under a temporary name and rename
 * what is complete.
 *
 * @throws ValidationError when the directory is there already
 */
export async function writeNewDirectory(
  directory: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  await makeFolders(dirname(directory), PRIVATE_DIRECTORY_MODE);
  await makeNewDirectory(directory);
  try {
    for (const [name, bytes] of files) await writePrivateFile(join(directory, name), bytes);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function makeNewDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, PRIVATE_DIRECTORY_MODE);
    await chmod(directory, PRIVATE_DIRECTORY_MODE);
  } catch (cause) {
    if (!isFileError(cause, "EEXIST")) throw cause;
    throw new ValidationError(`${directory} is there already: write to a new directory`, { cause });
  }
}
