import { rename, writeFile } from "node:fs/promises";

/** Writes `value` to a temporary name beside `file` and renames it, so that a reader sees the old text or the new. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  const temporary = `${file}.${process.pid}.part`;
  await writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`);
  await rename(temporary, file);
}
