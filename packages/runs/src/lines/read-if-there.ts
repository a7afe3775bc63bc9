import { readdir, readFile } from "node:fs/promises";

/** Tells whether a file or folder is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** Reads a file as text; undefined where it is not there. */
export function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(unlessMissing(undefined));
}

/** Lists the names in a folder; none where it is not there. */
export function listIfThere(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(unlessMissing([]));
}

/** Gives a value in place of what is not there, and throws every other error. */
function unlessMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isMissing(error)) return value;
    throw error;
  };
}
