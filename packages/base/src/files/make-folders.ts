import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it, each that is not there. Not Node's own `recursive: true`, which tries for ever where a file system
 * answers that the folder to be made is not there, as `/proc` does.
 *
 * @param mode - rights of the folders that are made, as far as the umask leaves them
 * @throws what the file system says, of a file in the place of a folder too
 */
export async function makeFolders(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" && dirname(path) !== path) {
      await makeFolders(dirname(path), mode);
      // One more try: where it fails as the first did, the folder above is there and takes none.
      return mkdir(path, { mode }).catch((again: unknown) => passFolder(path, again));
    }
    await passFolder(path, error);
  }
}

/** Passes over the error of making a folder that is there already, as another process may have made it. */
async function passFolder(path: string, error: unknown): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) throw error;
}
