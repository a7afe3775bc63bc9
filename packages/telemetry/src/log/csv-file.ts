import { appendFile, type FileHandle, open, readFile, stat, truncate } from "node:fs/promises";
import { ValidationError } from "@tinkex/base";
import { inFileTurn, replaceFile } from "@tinkex/base/node";
import { type CsvTable, csvCell, readCsvTable, withCells } from "./csv-table.js";

const LINE_FEED = 10;

/** Most times that a row is written anew since another program has replaced the file meanwhile. */
const MAX_TRIES = 10;

/** A file as this writer left it. */
interface Left {
  readonly inode: number;
  readonly size: number;
  readonly table: Pick<CsvTable, "columns" | "lineEnd">;
}

/** A table in a file, which others may write too: the header is read again whenever the file is not as it was left. */
export class CsvFile {
  readonly #path: string;
  #left: Left | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the table where it is not as it was left. @throws ValidationError where it is none */
  async look(): Promise<void> {
    await inFileTurn(this.#path, () => this.#asItIs());
  }

  /** Appends a row. @param row - cells by the names of their columns */
  async append(row: ReadonlyMap<string, string>): Promise<void> {
    await inFileTurn(this.#path, async () => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) if (await this.#try(row)) return;
      throw new Error(`csvLog: ${this.#path} is replaced by others faster than a row can be written`);
    });
  }

  /** @returns false where the file was replaced meanwhile, so that the row is not in it */
  async #try(row: ReadonlyMap<string, string>): Promise<boolean> {
    let left = await this.#asItIs();
    const added = [...row.keys()].filter((name) => !left.table.columns.includes(name));
    if (added.length > 0) {
      await addColumns(this.#path, added);
      left = await this.#asItIs();
    }
    const { columns, lineEnd } = left.table;
    const line = `${columns.map((name) => row.get(name) ?? "").join(",")}${lineEnd}`;
    const file = await open(this.#path, "a");
    try {
      const found = await file.stat();
      if (found.ino !== left.inode || found.size !== left.size) return false;
      await appendWhole(file, line, left.size);
    } finally {
      await file.close();
    }
    this.#left = { ...left, size: left.size + Buffer.byteLength(line) };
    return (await statIfThere(this.#path))?.ino === left.inode;
  }

  async #asItIs(): Promise<Left> {
    const found = await statIfThere(this.#path);
    if (found?.ino === this.#left?.inode && found?.size === this.#left?.size && this.#left !== undefined) {
      return this.#left;
    }
    const { records, columns, lineEnd, hasRest, missingEnd } = await readTable(this.#path);
    if (hasRest) await truncate(this.#path, Buffer.byteLength(records.join("")));
    if (missingEnd !== "") await appendFile(this.#path, missingEnd);
    const mended = await statIfThere(this.#path);
    this.#left = { inode: mended?.ino ?? 0, size: mended?.size ?? 0, table: { columns, lineEnd } };
    return this.#left;
  }
}

/** Appends a line, and takes back what was written of it where the disk is full: half a number would be another one. */
async function appendWhole(file: FileHandle, line: string, size: number): Promise<void> {
  try {
    await file.appendFile(line);
  } catch (error) {
    await file.truncate(size).catch(() => {});
    throw error;
  }
}

async function readTable(path: string): Promise<CsvTable> {
  const bytes = await readBytes(path);
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  const whole = decoded(bytes.subarray(0, end));
  const last = decoded(bytes.subarray(end));
  // A row may be cut off in the middle of a letter; a header is never.
  if (whole === undefined || (last === undefined && end === 0)) {
    throw new ValidationError(
      `csvLog: file must be UTF-8, and ${path} is not; save it so, or give another file`,
      { path: ["file"] },
    );
  }
  return readCsvTable(whole, last, path);
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    if (isMissing(error)) return new Uint8Array();
    throw error;
  }
}

async function statIfThere(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

async function addColumns(path: string, names: readonly string[]): Promise<void> {
  const { records } = await readTable(path);
  const [header, ...rows] = records;
  const cells = names.map(csvCell);
  const empty = names.map(() => "");
  const table =
    header === undefined
      ? `${cells.join(",")}\n`
      : [withCells(header, cells), ...rows.map((row) => withCells(row, empty))].join("");
  await replaceFile(path, (open) => open.writeFile(table), { isPrivate: false });
}
