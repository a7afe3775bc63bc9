import { readdir, readFile } from "node:fs/promises";

/** The parsed JSON of `file`, or `undefined` when there is no such file or what it holds is not JSON. */
export async function readRecord<T>(file: string): Promise<T | undefined> {
  try {
    // The files are this package's own, each written whole by one rename.
    return JSON.parse(await readFile(file, "utf8")) as T;
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined;
    throw error;
  }
}

/** Names of the entries of a directory; none when it does not exist. */
export async function entriesOf(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR";
}
