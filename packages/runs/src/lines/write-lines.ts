import { appendFile, open } from "node:fs/promises";
import { dirname } from "node:path";
import { silentLogger } from "@tinkex/base";
import { inFileTurn, replaceFile } from "@tinkex/base/node";
import { mendInTurn } from "./last-line.js";
import { writePythonJson } from "./python-json.js";
import { isMissing } from "./read-if-there.js";

/**
 * Appends rows as whole lines, in one write: a reader never sees the middle of one, and a process that is killed loses none before it. A
 * write that fails halfway, as on a full disk, is taken back.
 */
export async function appendLines(path: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const text = linesOf(rows);
  await inFileTurn(path, async () => {
    try {
      await appendFile(path, text);
    } catch (error) {
      await mendInTurn(path, silentLogger, "append: path").catch(() => {});
      throw error;
    }
  });
}

/** Writes a file of rows anew. */
export async function writeLines(path: string, rows: readonly object[]): Promise<void> {
  await writeText(path, linesOf(rows));
}

/** Writes a file of a run anew: it is never seen half written, and may be read by whoever reads runs. */
export async function writeText(path: string, text: string): Promise<void> {
  await replaceFile(path, (file) => file.writeFile(text), { isPrivate: false });
}

/** Codes by which a system says that it does not sync folders; it has nothing to be done in its place. */
const UNSUPPORTED: readonly unknown[] = ["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"];

/** Sees to it that files, and their names, outlast a loss of power. Those that are not there are passed over. */
export async function syncFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await sync(path, "r+");
  for (const folder of new Set(paths.map((path) => dirname(path)))) await sync(folder, "r");
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  try {
    const file = await open(path, flags);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    const isFolder = flags === "r" && error instanceof Error && "code" in error;
    if (!isMissing(error) && !(isFolder && UNSUPPORTED.includes(error.code))) throw error;
  }
}

function linesOf(rows: readonly object[]): string {
  return rows.map((row, index) => `${writePythonJson(row, 0, `row ${index}`)}\n`).join("");
}
