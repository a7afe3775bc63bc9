import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import {
  checkKnownNames,
  checkLogger,
  checkObject,
  checkString,
  type Logger,
  Mutex,
  silentLogger,
  ValidationError,
} from "@tinkex/base";
import { JsonLinesReader } from "../lines/json-lines-reader.js";
import type { JsonObject } from "../lines/python-json.js";
import { appendLines, mendLastLine } from "../lines/write-lines.js";

/** A file of JSON lines that is being written. */
export interface Rows {
  /** Rows that were in it. */
  readonly rows: readonly JsonObject[];
  /** Appends a row as one whole line. @throws what writing the file throws */
  append(row: object): Promise<void>;
}

export interface OpenRowsOptions {
  /** Told of a last line that was cut off, and of lines that are no JSON. @defaultValue says nothing */
  readonly logger?: Logger | undefined;
}

/**
 * Opens a file of JSON lines to read what it has and append to it, for work that goes on where it was stopped. A last line that was cut
 * off is taken away.
 *
 * @param path - the file; it and its folder are made where they are not there
 * @throws ValidationError for arguments of the wrong kind, and for a folder
 */
export async function openRows(path: string, options: OpenRowsOptions = {}): Promise<Rows> {
  checkString(path, "openRows: path", "runs/answers.jsonl");
  if (path === "") throw new ValidationError('openRows: path must not be ""; give the name of a file');
  checkKnownNames(options, { logger: true }, "the options of openRows");
  const { logger = silentLogger } = options;
  checkLogger(options.logger, "openRows: logger");
  await mkdir(dirname(path), { recursive: true });
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) throw new ValidationError(`openRows: path must be a file, got the folder ${path}`);
  await mendLastLine(path, logger);
  const { rows } = await new JsonLinesReader<JsonObject>(path, logger).read();
  const turn = new Mutex();
  const never = new AbortController().signal;
  return {
    rows,
    append: async (row) => {
      checkObject(row, "append: row", "{ index: 0 }");
      await turn.runExclusive(never, () => appendLines(path, [row]));
    },
  };
}
