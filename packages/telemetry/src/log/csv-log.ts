import { dirname } from "node:path";
import { checkKnownNames, checkString, ValidationError } from "@tinkex/base";
import { makeFolders } from "@tinkex/base/node";
import { CsvFile } from "./csv-file.js";
import { columnName, csvCell } from "./csv-table.js";
import { type FileLog, fileLog } from "./file-log.js";
import type { Metrics } from "./metrics-logger.js";

/** Options of {@link csvLog}. */
export interface CsvLogOptions {
  /** The file; its folder is made where it is not there. */
  readonly file: string;
}

const OPTION_NAMES: Readonly<Record<keyof CsvLogOptions, true>> = { file: true };

/**
 * Writes metrics as comma-separated values, a row for each step. A metric that is new becomes a column at the end, empty in the rows
 * before; one that is named `step` is left out. Goes on in a file that is there; a last row that was cut off goes away, and one with all its cells gets its end. Another log may
 * write the file too. What another program wrote stays as it is, its ends of lines, quotes and byte order mark too; each row is refused
 * with a ValidationError, and the file left alone, where it is no such table.
 *
 * @throws ValidationError at the call
 */
export function csvLog(options: CsvLogOptions): FileLog {
  checkKnownNames(options, OPTION_NAMES, "the options of csvLog");
  const { file } = options;
  checkString(file, "csvLog: file", "runs/support-bot/metrics.csv");
  return fileLog(async () => {
    await makeFolders(dirname(file));
    const table = new CsvFile(file);
    return {
      look: () => table.look(),
      write: (metrics, step) => table.append(cellsByName(Object.assign({ step }, metrics, { step }))),
    };
  }, `csvLog: ${file}`);
}

/** Cells of a row by the names of their columns. What is undefined has none. @throws ValidationError for two of one column */
function cellsByName(metrics: Metrics): ReadonlyMap<string, string> {
  const cells = new Map<string, string>();
  for (const [name, value] of Object.entries(metrics)) {
    if (value === undefined) continue;
    const column = columnName(name);
    if (cells.has(column)) {
      throw new ValidationError(
        `csvLog: the names of metrics must differ in more than spaces and ends of lines, got two for the column ${JSON.stringify(column)}; rename one`,
        { path: [name] },
      );
    }
    cells.set(column, value === null ? "" : csvCell(String(value)));
  }
  return cells;
}
