import { appendFile, mkdir, readFile, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { checkKnownNames, checkString } from "@tinkex/base";
import { replaceFile } from "@tinkex/base/node";
import { type FileLog, fileLog } from "./metrics-log.js";
import type { Metrics } from "./metrics-logger.js";

/** Options of {@link csvLog}. */
export interface CsvLogOptions {
  /** The file; its folder is made where it is not there. */
  readonly file: string;
}

const OPTION_NAMES: Readonly<Record<keyof CsvLogOptions, true>> = { file: true };

/**
 * Writes metrics as comma-separated values, a row for each step. A metric that is new becomes a column at the end, empty in the rows
 * before. Goes on in a file that is there; a last row that was cut off goes away.
 *
 * @throws ValidationError at the call
 */
export function csvLog(options: CsvLogOptions): FileLog {
  checkKnownNames(options, OPTION_NAMES, "the options of csvLog");
  const { file } = options;
  checkString(file, "csvLog: file", "runs/support-bot/metrics.csv");
  let columns: Promise<string[]> | undefined;
  return fileLog(async (metrics, step) => {
    columns ??= openTable(file);
    const row: Metrics = { step, ...metrics };
    const known = await columns;
    const added = Object.keys(row).filter((name) => row[name] !== undefined && !known.includes(name));
    if (added.length > 0) {
      await addColumns(file, known, added);
      known.push(...added);
    }
    await appendFile(file, lineOf(known.map((name) => row[name])));
  });
}

/** Reads the names of the columns of a file, and takes away a last row that was cut off. */
async function openTable(file: string): Promise<string[]> {
  await mkdir(dirname(file), { recursive: true });
  const text = await readText(file);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) await truncate(file, Buffer.byteLength(whole));
  return whole === "" ? [] : readCells(whole);
}

async function addColumns(file: string, known: readonly string[], added: readonly string[]): Promise<void> {
  const text = await readText(file);
  const header = lineOf([...known, ...added]);
  const rows = known.length === 0 ? "" : text.slice(lineOf(known).length);
  const filler = `${",".repeat(added.length)}\n`;
  const table = header + rows.replaceAll("\n", filler);
  await replaceFile(file, (open) => open.writeFile(table), { isPrivate: false });
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

function lineOf(cells: readonly Metrics[string][]): string {
  return `${cells.map(cellOf).join(",")}\n`;
}

/** Writes a cell: line feeds become spaces, so that a row is a line. */
function cellOf(value: Metrics[string]): string {
  if (value === undefined || value === null) return "";
  const text = String(value).replaceAll(/[\r\n]/g, " ");
  return text.includes(",") || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Reads the cells of the first row. */
function readCells(text: string): string[] {
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index];
    if (letter === '"') {
      if (isQuoted && text[index + 1] === '"') {
        cell += letter;
        index += 1;
      } else isQuoted = !isQuoted;
    } else if (isQuoted || (letter !== "," && letter !== "\n")) cell += letter;
    else {
      cells.push(cell);
      cell = "";
      if (letter === "\n") break;
    }
  }
  return cells;
}
