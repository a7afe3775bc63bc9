import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it, each that is not there. Not Node's own `recursive: true`, which tries for ever where a file system
 * answers that the folder to be made is not there, as `/proc` does.
 *
 * @param mode - rights of the folders that are made, as far as the umask leaves them
 * @returns the first folder that was made; undefined where all were there
 * @throws what the file system says, of a file in the place of a folder too
 */
export async function makeFolders(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await makeFolder(path, mode);
  } catch (error) {
    if (!isBelowMissing(path, error)) throw error;
    const first = await makeFolders(dirname(path), mode);
    // One more try: where it fails as the first did, the folder above is there and takes none.
    const own = await makeFolder(path, mode);
    return first ?? own;
  }
}

/** The same as {@link makeFolders} without giving up the thread, for callers that nothing may come between. */
export function makeFoldersSync(path: string, mode = 0o777): void {
  try {
    makeFolderSync(path, mode);
  } catch (error) {
    if (!isBelowMissing(path, error)) throw error;
    makeFoldersSync(dirname(path), mode);
    makeFolderSync(path, mode);
  }
}

/** Tells whether a folder could not be made because the one above it is not there. */
function isBelowMissing(path: string, error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT" && dirname(path) !== path;
}

/** Makes a folder, and gives it; undefined where it is there. */
async function makeFolder(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    await passFolder(path, error);
    return undefined;
  }
}

function makeFolderSync(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** Passes over the error of making a folder that is there already, as another process may have made it. */
async function passFolder(path: string, error: unknown): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) throw error;
}
