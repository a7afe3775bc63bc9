import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import {
  checkKnownNames,
  checkLogger,
  checkObject,
  checkString,
  type Logger,
  Mutex,
  shieldedLogger,
  silentLogger,
  ValidationError,
} from "@tinkex/base";
import { inFileTurn } from "@tinkex/base/node";
import { rowsIn } from "../lines/file-lines.js";
import { foreignFile, mendLastLine, openLineIn, warnOfCutLine } from "../lines/last-line.js";
import type { Json, JsonObject } from "../lines/python-json.js";
import { appendLines } from "../lines/write-lines.js";
import { FileLock } from "./file-lock.js";
import { asRefusal, makeFolder } from "./make-folder.js";

const PLACE = "openRows: path";

/** A file of JSON lines that is being written. */
export interface Rows extends AsyncDisposable {
  /** Rows that were in it. */
  readonly rows: readonly JsonObject[];
  /** Appends a row as one whole line. @throws what writing the file throws */
  append(row: object): Promise<void>;
  /** Lets another process write the file, once what was appended before is in it. */
  close(): Promise<void>;
}

export interface OpenRowsOptions {
  /** Told of a last line that was cut off, and of lines that are no JSON. @defaultValue says nothing */
  readonly logger?: Logger | undefined;
}

/**
 * Opens a file of JSON lines to read what it has and append to it, for work that goes on where it was stopped. A last line that was cut
 * off is left out, and taken away by the first row that is appended. Close it once it is no longer written: until then no other process
 * may open it. Calls of one process may write it side by side.
 *
 * @param path - the file; it and its folder are made where they are not there
 * @throws ValidationError for arguments of the wrong kind, a folder, and a file of another program, which is left as it is: one without
 *   a row, whose last line is neither a row nor the beginning of one, or is the beginning of one behind lines that are none; also
 *   when another process writes the file
 */
export async function openRows(path: string, options: OpenRowsOptions = {}): Promise<Rows> {
  checkString(path, "openRows: path", "runs/answers.jsonl");
  if (path === "") throw new ValidationError('openRows: path must not be ""; give the name of a file');
  checkKnownNames(options, { logger: true }, "the options of openRows");
  checkLogger(options.logger, "openRows: logger");
  const logger = shieldedLogger(options.logger ?? silentLogger);
  const place = { name: `openRows: ${path}`, remedy: "give another file" };
  await makeFolder(dirname(path), place);
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) throw new ValidationError(`openRows: path must be a file, got the folder ${path}`);
  const lock = await FileLock.take(path, place, logger).catch((error: unknown) => {
    throw asRefusal(error, place);
  });
  // A line that another call of this process is writing is waited for.
  const rows = await inFileTurn(path, () => readRows(path, logger)).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  let isMended = false;
  const turn = new Mutex();
  const never = new AbortController().signal;
  const close = () => turn.runExclusive(never, () => lock.release());
  return {
    rows,
    close,
    [Symbol.asyncDispose]: close,
    append: async (row) => {
      checkObject(row, "append: row", "{ index: 0 }");
      await turn.runExclusive(never, async () => {
        await lock.check();
        if (!isMended) await mendLastLine(path, silentLogger, PLACE);
        isMended = true;
        await appendLines(path, [row]);
      });
    },
  };
}

/** Reads the rows of a file, and leaves it as it is. @throws ValidationError for a cut last line in a file of other lines than rows */
async function readRows(path: string, logger: Logger): Promise<JsonObject[]> {
  const fault = (await openLineIn(path, PLACE))?.fault;
  const rows: JsonObject[] = [];
  const others: number[] = [];
  let number = 0;
  for await (const { bytes, row } of rowsIn(path)) {
    number += 1;
    // Rows are what a program wrote, and its own to check: only that they are objects of JSON is known here.
    if (row !== undefined) rows.push(row as Readonly<Record<string, Json>>);
    else if (bytes.toString("utf8").trim() !== "") others.push(number);
  }
  const [first] = others;
  const isForeign = first !== undefined && (fault === undefined ? rows.length === 0 : first !== number);
  if (isForeign) throw foreignFile(path, PLACE, `line ${first}`);
  if (fault !== undefined) {
    warnOfCutLine(path, fault, logger);
    return rows;
  }
  for (const line of others) logger.warn(`${path}, line ${line} is left out: it is no JSON object`);
  return rows;
}
