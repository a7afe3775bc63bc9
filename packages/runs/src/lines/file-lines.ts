import { type FileHandle, open } from "node:fs/promises";
import { readPythonJson } from "./python-json.js";
import { isMissing } from "./read-if-there.js";

/** Bytes read at one time, so that a long file is not in memory as a whole. */
const CHUNK_BYTES = 1 << 20;

const LINE_FEED = 0x0a;

/** Opens a file to read; undefined where it is not there. */
export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Reads the lines of a file from a byte on, each with its line feed; only a last line that has none lacks it. They come as many at a time as one
 * read gives, so that no more than that and one line are in memory.
 */
export async function* linesFrom(
  file: FileHandle,
  start: number,
): AsyncGenerator<readonly Buffer[], void, undefined> {
  let parts: Buffer[] = [];
  let position = start;
  for (;;) {
    const chunk = await readChunk(file, position);
    if (chunk.length === 0) break;
    position += chunk.length;
    const lines: Buffer[] = [];
    let begin = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, begin)) {
      const piece = chunk.subarray(begin, end + 1);
      // A line that reads cut in pieces is put together once, however many they are.
      lines.push(parts.length === 0 ? piece : Buffer.concat([...parts, piece]));
      parts = [];
      begin = end + 1;
    }
    if (begin < chunk.length) parts.push(chunk.subarray(begin));
    if (lines.length > 0) yield lines;
  }
  if (parts.length > 0) yield [Buffer.concat(parts)];
}

/** A line of a file, and what it says. */
export interface ReadLine {
  readonly bytes: Buffer;
  /** Undefined where the line is blank, or no JSON object. */
  readonly row: Readonly<Record<string, unknown>> | undefined;
}

/** Reads the rows of a file of JSON lines one after the other, in bounded memory. A file that is not there has none. */
export async function* rowsIn(path: string): AsyncGenerator<ReadLine, void, undefined> {
  const file = await openIfThere(path);
  if (file === undefined) return;
  try {
    for await (const lines of linesFrom(file, 0)) {
      for (const bytes of lines) yield { bytes, row: rowOf(bytes.toString("utf8").trim()) };
    }
  } finally {
    await file.close();
  }
}

function rowOf(text: string): ReadLine["row"] {
  if (text === "") return undefined;
  try {
    const row = readPythonJson(text);
    return typeof row === "object" && row !== null && !Array.isArray(row) ? { ...row } : undefined;
  } catch {
    return undefined;
  }
}

/** Tells whether bytes end with the line feed that ends a line. */
export function isWholeLine(bytes: Buffer): boolean {
  return bytes.at(-1) === LINE_FEED;
}

/**
 * Reads the last line of a file from its end on, so that a long file costs no more than a short one.
 *
 * @returns the byte at which the line begins, and its bytes without a line feed; none where the file is missing, empty, or ends with a line feed
 */
export async function cutLastLine(
  path: string,
): Promise<{ readonly start: number; readonly bytes: Buffer } | undefined> {
  const file = await openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const parts: Buffer[] = [];
    let { size: end } = await file.stat();
    while (end > 0) {
      const length = Math.min(CHUNK_BYTES, end);
      const chunk = await readChunk(file, end - length, length);
      const lineEnd = chunk.lastIndexOf(LINE_FEED);
      parts.unshift(chunk.subarray(lineEnd + 1));
      end -= length;
      if (lineEnd >= 0) {
        end += lineEnd + 1;
        break;
      }
    }
    const bytes = Buffer.concat(parts);
    return bytes.length === 0 ? undefined : { start: end, bytes };
  } finally {
    await file.close();
  }
}

async function readChunk(file: FileHandle, position: number, length = CHUNK_BYTES): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
