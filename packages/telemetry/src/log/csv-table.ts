import { ValidationError } from "@tinkex/base";

/** Mark that some programs put before the text of a file. */
const BYTE_ORDER_MARK = "\uFEFF";

/** Letter in place of one that was cut off. */
const CUT_LETTER = "\uFFFD";

/** Most letters of a header that an error shows: it may be anything that stands in a file. */
const MAX_SHOWN = 40;

/** A table as it is in a file, which programs other than ours may have written. */
export interface CsvTable {
  /** Names of the columns, as {@link columnName} writes them. */
  readonly columns: readonly string[];
  /** Letters that end a row. */
  readonly lineEnd: "\n" | "\r\n";
  /** Records, the header first, each with its end, be it missing in the file. */
  readonly records: readonly string[];
  /** True where a row that was cut off stands behind the records. */
  readonly hasRest: boolean;
  /** Letters that the last record lacks in the file. */
  readonly missingEnd: string;
}

/**
 * Reads a table so that rows and columns can be added and everything else stays as it is, letter by letter. A last row that has all its
 * cells is taken for whole; what else stands behind the last end of a row was cut off.
 *
 * @param lines - text of the file up to its last line feed
 * @param last - text behind it; undefined where it is cut off within a letter
 * @param file - named in errors
 * @throws ValidationError where a row that is added could end up in the wrong columns
 */
export function readCsvTable(lines: string, last: string | undefined, file: string): CsvTable {
  const { records: ended, rest, isQuoted } = splitRecords(lines + (last ?? CUT_LETTER));
  if (/[\r\n]/.test(rest.trimEnd()))
    throw refusal(file, "has a quote that never ends, or rows that end with CR alone");
  const isWhole = last !== undefined && !isQuoted && rest.trim() !== "" && !rest.includes("\0");
  const header = ended[0] ?? (isWhole ? rest : undefined);
  if (header === undefined) {
    if (rest.replaceAll("\0", "").trim() !== "") throw refusal(file, "has no whole header");
    return { columns: [], lineEnd: "\n", records: ended, hasRest: rest !== "", missingEnd: "" };
  }
  const columns = columnsOf(header, file);
  const lineEnd = header.endsWith("\r\n") ? "\r\n" : "\n";
  const { length } = cellsOf(rest);
  if (isWhole && length > columns.length) throw wrongLength(file, length, ended.length, columns.length);
  const isKept = isWhole && length === columns.length;
  const missingEnd = isKept ? (rest.endsWith("\r") ? "\n" : lineEnd) : "";
  const records = isKept ? [...ended, rest + missingEnd] : ended;
  for (const [index, record] of records.entries()) {
    const { length } = cellsOf(record);
    if (length !== columns.length) throw wrongLength(file, length, index, columns.length);
  }
  return { columns, lineEnd, records, hasRest: !isKept && rest !== "", missingEnd };
}

/** Names of the columns. @throws ValidationError for what is no header of ours */
function columnsOf(header: string, file: string): readonly string[] {
  const columns = cellsOf(header).map(columnName);
  if (!columns.includes("step"))
    throw refusal(
      file,
      `has no column "step" in its header, got ${JSON.stringify(header.trim().slice(0, MAX_SHOWN))}`,
    );
  const twice = columns.find((name, index) => name !== "" && columns.indexOf(name) !== index);
  if (twice !== undefined) throw refusal(file, `has two columns ${JSON.stringify(twice)}`);
  return columns;
}

function wrongLength(file: string, length: number, index: number, columnCount: number): ValidationError {
  return refusal(file, `has ${length} cells in row ${index}, and ${columnCount} in its header`);
}

/** Adds cells at the end of a record, before the letters that end it. */
export function withCells(record: string, cells: readonly string[]): string {
  const end = record.endsWith("\r\n") ? record.length - 2 : record.length - 1;
  return `${[record.slice(0, end), ...cells].join(",")}${record.slice(end)}`;
}

/** Writes a name as it can stand in a header: on one line, and without spaces around it. */
export function columnName(name: string): string {
  return onOneLine(name).trim();
}

/** Writes a cell: line feeds become spaces, so that a row is a line. */
export function csvCell(value: string): string {
  const text = onOneLine(value);
  return text.includes(",") || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
}

function onOneLine(text: string): string {
  return text.replaceAll("\r", " ").replaceAll("\n", " ");
}

/** Splits a text behind each line feed that is not within quotes. */
function splitRecords(text: string) {
  const records: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') isQuoted = !isQuoted;
    else if (text[index] === "\n" && !isQuoted) {
      records.push(text.slice(start, index + 1));
      start = index + 1;
    }
  }
  return { records, rest: text.slice(start), isQuoted };
}

function cellsOf(record: string): string[] {
  const text = record.startsWith(BYTE_ORDER_MARK) ? record.slice(1) : record;
  const end = text.length - (/\r?\n?$/.exec(text)?.[0].length ?? 0);
  const cells: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let index = 0; index < end; index += 1) {
    const letter = text[index] ?? "";
    if (letter === '"' && isQuoted && text[index + 1] === '"') {
      cell += letter;
      index += 1;
    } else if (letter === '"') isQuoted = !isQuoted;
    else if (letter === "," && !isQuoted) {
      cells.push(cell);
      cell = "";
    } else cell += letter;
  }
  return [...cells, cell];
}

function refusal(file: string, fault: string): ValidationError {
  return new ValidationError(
    `csvLog: file must be a table of comma-separated values with a header, and ${file} ${fault}; mend it, or give another file`,
    { path: ["file"] },
  );
}
