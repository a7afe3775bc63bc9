import { rename, writeFile } from "node:fs/promises";
import { processMark } from "@tinkex/base/node";

/** Writes a file beside its place and moves it there, so that a reader never sees the half of it. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const beside = `${file}.${processMark()}.tmp`;
  await writeFile(beside, text);
  await rename(beside, file);
}
