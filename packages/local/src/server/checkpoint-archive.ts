import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { OpenCheckpoint } from "../disk/open-checkpoint.js";
import { type OpenFile, PIECE_BYTES, piecesOf } from "../files/open-file.js";
import { TAR_BLOCK, TAR_END, tarHeader } from "./tar-header.js";

/** File without content by which the official command line knows that an archive is whole. */
const COMPLETE_FILE = "checkpoint_complete";

type Part = Uint8Array | OpenFile;

/**
 * A checkpoint as a tar archive that is made while it is sent. Its bytes are the same each time, so that what was cut off can be
 * fetched from there.
 */
export class CheckpointArchive {
  readonly byteLength: number;
  /** Changes when the checkpoint does. */
  readonly etag: string;
  readonly #checkpoint: OpenCheckpoint;
  readonly #parts: readonly Part[];

  /** @param checkpoint - is closed by this archive */
  constructor(checkpoint: OpenCheckpoint) {
    const { record, files } = checkpoint;
    const modifiedMs = Date.parse(record.created_at);
    this.#checkpoint = checkpoint;
    this.#parts = [
      ...files.flatMap((file) => [tarHeader({ ...file, modifiedMs }), file, padding(file.size)]),
      tarHeader({ name: COMPLETE_FILE, size: 0, modifiedMs }),
      TAR_END,
    ];
    this.byteLength = this.#parts.reduce((sum, part) => sum + sizeOf(part), 0);
    const identity = JSON.stringify([record, files.map(({ name, size }) => [name, size])]);
    this.etag = `"${createHash("sha256").update(identity).digest("hex").slice(0, 32)}"`;
  }

  /** The bytes from `start` up to, but without, `end`. Its files are closed when the stream is. */
  stream(start: number, end: number): Readable {
    const stream = Readable.from(this.#read(start, end), { objectMode: false, highWaterMark: PIECE_BYTES });
    stream.once("close", () => void this.close());
    return stream;
  }

  /** Closes its files. May be called twice. */
  close(): Promise<void> {
    return this.#checkpoint.close();
  }

  async *#read(start: number, end: number): AsyncGenerator<Uint8Array> {
    let place = 0;
    for (const part of this.#parts) {
      const size = sizeOf(part);
      const [from, to] = [Math.max(0, start - place), Math.min(size, end - place)];
      place += size;
      if (from >= to) continue;
      if (part instanceof Uint8Array) yield part.subarray(from, to);
      else yield* piecesOf(part, from, to);
    }
  }
}

function sizeOf(part: Part): number {
  return part instanceof Uint8Array ? part.byteLength : part.size;
}

function padding(size: number): Uint8Array {
  return new Uint8Array((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);
}
