import { existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Writes files into a fresh directory beside `directory`, makes sure they are on the disk, and renames it: whoever looks
 * at `directory` sees the old content or the new, never a mixture. One writer at a time for each directory.
 */
export async function replaceDirectory(
  directory: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const { partial, replaced } = siblings(directory);
  await recoverDirectory(directory);
  await mkdir(partial, { recursive: true });
  try {
    for (const [name, bytes] of files) await writeDurably(join(partial, name), bytes);
    if (existsSync(directory)) await rename(directory, replaced);
    await rename(partial, directory);
  } catch (error) {
    await recoverDirectory(directory);
    throw error;
  }
  await rm(replaced, { recursive: true, force: true });
}

/**
 * Clears away what a crash left of {@link replaceDirectory}: half-written files go, and a directory that had been moved
 * aside for one that never came is moved back.
 */
export async function recoverDirectory(directory: string): Promise<void> {
  const { partial, replaced } = siblings(directory);
  await rm(partial, { recursive: true, force: true });
  if (!existsSync(replaced)) return;
  if (existsSync(directory)) await rm(replaced, { recursive: true, force: true });
  else await rename(replaced, directory);
}

/** Fixed names, so that the leftovers of a crash are found; a dot in front, so that listings skip them. */
function siblings(directory: string): { readonly partial: string; readonly replaced: string } {
  const hidden = join(dirname(directory), `.${basename(directory)}`);
  return { partial: `${hidden}.partial`, replaced: `${hidden}.replaced` };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "w");
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
