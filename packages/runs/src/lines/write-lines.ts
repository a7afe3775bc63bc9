import { appendFile, copyFile, truncate } from "node:fs/promises";
import { errorMessage, type Logger } from "@tinkex/base";
import { replaceFile } from "@tinkex/base/node";
import { readPythonJson, writePythonJson } from "./python-json.js";
import { readIfThere } from "./read-if-there.js";

/** Appends rows as whole lines, in one write: a reader never sees the middle of one, and a process that is killed loses none before it. */
export async function appendLines(path: string, rows: readonly object[]): Promise<void> {
  if (rows.length > 0) await appendFile(path, linesOf(rows));
}

/** Writes a file of rows anew. */
export async function writeLines(path: string, rows: readonly object[]): Promise<void> {
  await writeText(path, linesOf(rows));
}

/** Writes a file of a run anew: it is never seen half written, and may be read by whoever reads runs. */
export async function writeText(path: string, text: string): Promise<void> {
  await replaceFile(path, (file) => file.writeFile(text), { isPrivate: false });
}

/**
 * Takes away a last line that was cut off, with a warning, since the next line would be written into it. A last line that is whole but
 * for its line feed gets it.
 */
export async function mendLastLine(path: string, logger: Logger): Promise<void> {
  const text = await readIfThere(path);
  if (text === undefined || text === "" || text.endsWith("\n")) return;
  const start = text.lastIndexOf("\n") + 1;
  const fault = faultOf(text.slice(start));
  if (fault === undefined) {
    await appendFile(path, "\n");
    return;
  }
  logger.warn(`${path}: the last line was cut off and is left out (${fault})`);
  await truncate(path, Buffer.byteLength(text.slice(0, start)));
}

/**
 * Drops the rows of a file from a step on, because they will be written again; the file as it was is kept as `<path>.pre_resume_NNNNNN`.
 * Rows without a whole number as their step, and lines that are no JSON, stay.
 *
 * @returns the number of rows that went
 */
export async function dropRowsFrom(path: string, step: number): Promise<number> {
  const text = await readIfThere(path);
  if (text === undefined) return 0;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const kept = lines.filter((line) => stepOf(line) < step);
  if (kept.length === lines.length) return 0;
  await copyFile(path, `${path}.pre_resume_${String(step).padStart(6, "0")}`);
  await writeText(path, kept.map((line) => `${line}\n`).join(""));
  return lines.length - kept.length;
}

function stepOf(line: string): number {
  try {
    const row = readPythonJson(line);
    const step = typeof row === "object" && row !== null && "step" in row ? row.step : undefined;
    return Number.isInteger(step) ? Number(step) : Number.NEGATIVE_INFINITY;
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
}

function linesOf(rows: readonly object[]): string {
  return rows.map((row, index) => `${writePythonJson(row, 0, `row ${index}`)}\n`).join("");
}

function faultOf(line: string): string | undefined {
  try {
    readPythonJson(line);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
