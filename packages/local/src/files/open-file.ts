import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** A file that is open, of the size that it had then. */
export interface OpenFile {
  readonly name: string;
  readonly file: FileHandle;
  readonly size: number;
}

/** Opens no link, and waits for no pipe's writer. Windows has neither. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Opens a file to read it, and no link. @param name - what it is called in messages */
export async function openFile(path: string, name: string): Promise<OpenFile> {
  const file = await open(path, READ_FLAGS);
  const { size } = await file.stat();
  return { name, file, size };
}

/** Bytes that are read at a time. */
export const PIECE_BYTES = 256 * 1024;

/**
 * Reads a file piece by piece, from one byte up to another.
 *
 * @throws Error when it has become shorter since it was opened
 */
export async function* piecesOf(
  { file, name, size }: OpenFile,
  from = 0,
  to = size,
): AsyncGenerator<Uint8Array> {
  for (let position = from; position < to; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, to - position));
    const { bytesRead } = await file.read(piece, 0, piece.length, position);
    if (bytesRead === 0) throw new Error(`${name} has become shorter while it was read`);
    yield piece.subarray(0, bytesRead);
    position += bytesRead;
  }
}
