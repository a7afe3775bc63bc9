import { errorMessage, type Logger, Mutex } from "@tinkex/base";
import { isWholeLine, linesFrom, openIfThere } from "./file-lines.js";
import { type JsonObject, readPythonJson } from "./python-json.js";

/** Rows that a file has gained since it was read last. */
export interface NewRows<Row> {
  readonly rows: readonly Row[];
  /** True where the file was shortened or replaced: `rows` begin anew, and those read before no longer count. */
  readonly isReset: boolean;
}

/**
 * Reads a file of JSON lines while another process writes it: each call reads the bytes that came since, by their offset. A last line
 * without its end is left for the next call, with a warning, since its writer may have been stopped in it; a line that is no JSON is
 * left out with a warning.
 */
export class JsonLinesReader<Row extends JsonObject> {
  readonly #path: string;
  readonly #logger: Logger;
  readonly #turn = new Mutex();
  readonly #never = new AbortController().signal;
  #inode: number | undefined;
  #offset = 0;
  #lineCount = 0;
  #warnedOffset = -1;

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  /** Bytes read so far, up to the end of the last whole line. */
  get offset(): number {
    return this.#offset;
  }

  /** Reads the rows that are new. A file that is not there has none. Of calls at the same time one gets each row. */
  async read(): Promise<NewRows<Row>> {
    return this.#turn.runExclusive(this.#never, () => this.#read());
  }

  async #read(): Promise<NewRows<Row>> {
    const file = await openIfThere(this.#path);
    if (file === undefined) return { rows: [], isReset: this.#restart(undefined) };
    try {
      const { ino, size } = await file.stat();
      const isReset = (ino !== this.#inode || size < this.#offset) && this.#restart(ino);
      this.#inode = ino;
      const rows: Row[] = [];
      for await (const lines of linesFrom(file, this.#offset)) {
        for (const line of lines) this.#take(line, rows);
      }
      return { rows, isReset };
    } finally {
      await file.close();
    }
  }

  /** Begins at the first byte again. @returns true where something had been read */
  #restart(inode: number | undefined): boolean {
    const hadRead = this.#offset > 0;
    this.#inode = inode;
    this.#offset = 0;
    this.#lineCount = 0;
    this.#warnedOffset = -1;
    return hadRead;
  }

  #take(line: Buffer, rows: Row[]): void {
    if (!isWholeLine(line)) {
      this.#warnOfCutLine(line.length);
      return;
    }
    this.#offset += line.length;
    this.#lineCount += 1;
    const row = this.#parse(line.toString("utf8").trim());
    if (row !== undefined) rows.push(row);
  }

  #parse(line: string): Row | undefined {
    if (line === "") return undefined;
    const place = `${this.#path}, line ${this.#lineCount}`;
    try {
      const row = readPythonJson(line);
      // Rows are what a program wrote, and its own to check: only that they are objects is known here.
      if (typeof row === "object" && row !== null && !Array.isArray(row)) return row as Row;
      this.#logger.warn(`${place} is left out: it is no JSON object`);
    } catch (error) {
      this.#logger.warn(`${place} is left out: ${errorMessage(error)}`);
    }
    return undefined;
  }

  #warnOfCutLine(byteCount: number): void {
    if (this.#warnedOffset === this.#offset) return;
    this.#warnedOffset = this.#offset;
    this.#logger.warn(
      `${this.#path}: the last line has no end yet and is left out (${byteCount} bytes); its writer was stopped in it, or still writes`,
    );
  }
}
