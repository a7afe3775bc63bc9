import { appendFile, mkdir, readFile, truncate } from "node:fs/promises";
import { dirname } from "node:path";
import { checkKnownNames, checkString, ValidationError } from "@tinkex/base";
import { replaceFile } from "@tinkex/base/node";
import { type CsvTable, columnName, csvCell, readCsvTable, withCells } from "./csv-table.js";
import { type FileLog, fileLog } from "./file-log.js";
import type { Metrics } from "./metrics-logger.js";

const LINE_FEED = 10;

/** Options of {@link csvLog}. */
export interface CsvLogOptions {
  /** The file; its folder is made where it is not there. */
  readonly file: string;
}

const OPTION_NAMES: Readonly<Record<keyof CsvLogOptions, true>> = { file: true };

/**
 * Writes metrics as comma-separated values, a row for each step. A metric that is new becomes a column at the end, empty in the rows
 * before. Goes on in a file that is there; a last row that was cut off goes away. What another program wrote stays as it is, its ends of
 * lines, quotes and byte order mark too; each row is refused with a ValidationError, and the file left alone, where it is no such table.
 *
 * @throws ValidationError at the call
 */
export function csvLog(options: CsvLogOptions): FileLog {
  checkKnownNames(options, OPTION_NAMES, "the options of csvLog");
  const { file } = options;
  checkString(file, "csvLog: file", "runs/support-bot/metrics.csv");
  return fileLog(async () => {
    await mkdir(dirname(file), { recursive: true });
    const { columns, lineEnd, records, rest } = await readTable(file);
    if (rest !== "") await truncate(file, Buffer.byteLength(records.join("")));
    const known = [...columns];
    return async (metrics, step) => {
      const row = cellsByName({ step, ...metrics });
      const added = [...row.keys()].filter((name) => !known.includes(name));
      if (added.length > 0) {
        await addColumns(file, added);
        known.push(...added);
      }
      await appendFile(file, `${known.map((name) => row.get(name) ?? "").join(",")}${lineEnd}`);
    };
  });
}

/** Cells of a row by the names of their columns. What is undefined has none. */
function cellsByName(metrics: Metrics): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  for (const [name, value] of Object.entries(metrics)) {
    if (value !== undefined) cells.set(columnName(name), value === null ? "" : csvCell(String(value)));
  }
  return cells;
}

async function readTable(file: string): Promise<CsvTable> {
  const bytes = await readBytes(file);
  const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(whole);
  } catch {
    throw new ValidationError(
      `csvLog: file must be UTF-8, and ${file} is not; save it so, or give another file`,
      { path: ["file"] },
    );
  }
  // A row may be cut off in the middle of a letter.
  return readCsvTable(text + new TextDecoder().decode(bytes.subarray(whole.length)), file);
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Uint8Array();
    throw error;
  }
}

async function addColumns(file: string, names: readonly string[]): Promise<void> {
  const { records } = await readTable(file);
  const [header, ...rows] = records;
  const cells = names.map(csvCell);
  const empty = names.map(() => "");
  const table =
    header === undefined
      ? `${cells.join(",")}\n`
      : [withCells(header, cells), ...rows.map((row) => withCells(row, empty))].join("");
  await replaceFile(file, (open) => open.writeFile(table), { isPrivate: false });
}
