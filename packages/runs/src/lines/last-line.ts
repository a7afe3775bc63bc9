import { appendFile, truncate } from "node:fs/promises";
import { errorMessage, type Logger, ValidationError } from "@tinkex/base";
import { inFileTurn } from "@tinkex/base/node";
import { cutLastLine } from "./file-lines.js";
import { readPythonJson, withoutMark } from "./python-json.js";

/** A last line without its line feed. */
export interface OpenLine {
  /** The byte at which it begins. */
  readonly start: number;
  /** Fault that keeps it from being a row, since it was cut off; undefined for a row that lacks its line feed alone. */
  readonly fault: string | undefined;
}

/**
 * Looks at a last line without its line feed; undefined where there is none.
 *
 * @param place - named in errors, e.g. `openRows: path`
 * @throws ValidationError where it is no row and no beginning of one, so that the file is another program's
 */
export async function openLineIn(path: string, place: string): Promise<OpenLine | undefined> {
  const last = await cutLastLine(path);
  if (last === undefined) return undefined;
  const text = withoutMark(last.bytes.toString("utf8"));
  const fault = faultOf(text);
  if (fault !== undefined && !isBeginningOfRow(text)) throw foreignFile(path, place, "last line");
  return { start: last.start, fault };
}

/** Makes the error for a file of another program, which is left as it is. */
export function foreignFile(path: string, place: string, line: string): ValidationError {
  return new ValidationError(
    `${place} must hold JSON lines, each an object, and the ${line} of ${path} is none; give another file, or mend this one`,
  );
}

/**
 * Takes away a last line that was cut off, with a warning, since the next line would be written into it. A last line that is whole but
 * for its line feed gets it. A line that this process is writing is waited for.
 *
 * @throws ValidationError as `openLineIn` does
 */
export async function mendLastLine(path: string, logger: Logger, place: string): Promise<void> {
  await inFileTurn(path, () => mendInTurn(path, logger, place));
}

/** Does what `mendLastLine` does, for a caller that has the file's turn. */
export async function mendInTurn(path: string, logger: Logger, place: string): Promise<void> {
  const last = await openLineIn(path, place);
  if (last === undefined) return;
  if (last.fault === undefined) {
    await appendFile(path, "\n");
    return;
  }
  warnOfCutLine(path, last.fault, logger);
  await truncate(path, last.start);
}

/** Tells of a line that was cut off. */
export function warnOfCutLine(path: string, fault: string, logger: Logger): void {
  logger.warn(`${path}: the last line was cut off and is left out (${fault})`);
}

/** Names what keeps a line from being a row. The beginning of a row is none: a number that was cut off would be another one. */
function faultOf(line: string): string | undefined {
  try {
    readPythonJson(line);
    return line.startsWith("{") && line.trimEnd().endsWith("}") ? undefined : "it is no JSON object";
  } catch (error) {
    return errorMessage(error);
  }
}

/** Tells whether a line that was cut off may have been a row: an object that does not end, or the zeros that a loss of power leaves. */
function isBeginningOfRow(line: string): boolean {
  const text = line.replaceAll("\0", "").trimEnd();
  if (text === "" || text === "{") return true;
  return text.startsWith('{"') && !hasEnd(text);
}

/** Tells whether the object or array that a text begins with ends in it. */
function hasEnd(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index];
    if (isQuoted) {
      if (letter === "\\") index += 1;
      else if (letter === '"') isQuoted = false;
    } else if (letter === '"') isQuoted = true;
    else if (letter === "{" || letter === "[") depth += 1;
    else if (letter === "}" || letter === "]") {
      depth -= 1;
      if (depth === 0) return true;
    }
  }
  return false;
}
