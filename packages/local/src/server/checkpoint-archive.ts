import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { CheckpointRecord } from "../disk/checkpoint-record.js";
import { CHECKPOINT_FILE } from "../disk/data-layout.js";
import { TAR_BLOCK, TAR_END, tarHeader } from "./tar-header.js";

/** File without content by which the official command line knows that an archive is whole. */
const COMPLETE_FILE = "checkpoint_complete";

/** Bytes that are read at a time. */
const PIECE_BYTES = 256 * 1024;

/** Opens no link, and waits for no pipe's writer. Windows has neither. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

type Part = Uint8Array | { readonly file: FileHandle; readonly name: string; readonly size: number };

/** Gives the names of a checkpoint's own files: neither its record nor links, which anybody may have put there. */
export async function checkpointFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== CHECKPOINT_FILE)
    .map(({ name }) => name)
    .sort();
}

/**
 * A checkpoint as a tar archive that is made while it is sent. Its files are opened at once, so that it is whole although the
 * checkpoint be deleted meanwhile, and its bytes are the same each time, so that what was cut off can be fetched from there.
 */
export class CheckpointArchive {
  readonly byteLength: number;
  /** Changes when the checkpoint does. */
  readonly etag: string;
  readonly #parts: readonly Part[];

  private constructor(parts: readonly Part[], etag: string) {
    this.#parts = parts;
    this.byteLength = parts.reduce((sum, part) => sum + sizeOf(part), 0);
    this.etag = etag;
  }

  /** @throws the file system's error, `ENOENT` when the checkpoint has just been deleted */
  static async open(directory: string, record: CheckpointRecord): Promise<CheckpointArchive> {
    const time = { modifiedMs: Date.parse(record.created_at) };
    const parts: Part[] = [];
    const identity: unknown[] = [record.created_at];
    try {
      for (const name of await checkpointFiles(directory)) {
        const file = await open(join(directory, name), READ_FLAGS);
        const { size, ino, mtimeMs } = await file.stat();
        parts.push(tarHeader({ name, size, ...time }), { file, name, size }, padding(size));
        identity.push([name, size, ino, mtimeMs]);
      }
    } catch (error) {
      await closeAll(parts);
      throw error;
    }
    parts.push(tarHeader({ name: COMPLETE_FILE, size: 0, ...time }), TAR_END);
    const digest = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
    return new CheckpointArchive(parts, `"${digest.slice(0, 32)}"`);
  }

  /** The bytes from `start` up to, but without, `end`. Its files are closed when the stream is. */
  stream(start: number, end: number): Readable {
    const stream = Readable.from(this.#read(start, end), { objectMode: false, highWaterMark: PIECE_BYTES });
    stream.once("close", () => void this.close());
    return stream;
  }

  /** Closes its files. */
  async close(): Promise<void> {
    await closeAll(this.#parts);
  }

  async *#read(start: number, end: number): AsyncGenerator<Uint8Array> {
    let place = 0;
    for (const part of this.#parts) {
      const size = sizeOf(part);
      const [from, to] = [Math.max(0, start - place), Math.min(size, end - place)];
      place += size;
      if (from >= to) continue;
      if (part instanceof Uint8Array) yield part.subarray(from, to);
      else yield* readFile(part, from, to);
    }
  }
}

async function* readFile(
  { file, name }: Exclude<Part, Uint8Array>,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  for (let position = from; position < to; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, to - position));
    const { bytesRead } = await file.read(piece, 0, piece.length, position);
    if (bytesRead === 0) throw new Error(`${name} of a checkpoint has become shorter while it was sent`);
    yield piece.subarray(0, bytesRead);
    position += bytesRead;
  }
}

function sizeOf(part: Part): number {
  return part instanceof Uint8Array ? part.byteLength : part.size;
}

function padding(size: number): Uint8Array {
  return new Uint8Array((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);
}

async function closeAll(parts: readonly Part[]): Promise<void> {
  for (const part of parts) if (!(part instanceof Uint8Array)) await part.file.close();
}
