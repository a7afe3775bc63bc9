import { type FileHandle, open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { errorMessage, ResponseError, TinkexError } from "@tinkex/base";
import type { DownloadLimits } from "./download-options.js";

/** Beginnings of archives that are told apart, to say what came. */
const FORMATS: readonly (readonly [name: string, beginning: readonly number[]])[] = [
  ["gzip", [0x1f, 0x8b]],
  ["zip", [0x50, 0x4b]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
];

/** A small archive may grow by more than the ratio: its headers are mostly zeros. */
const FREE_BYTES = 1024 * 1024;
/** Headers, padding and the archive's end come on top of what files may hold. */
const BYTES_PER_FILE = 4096;

/** Gives the most bytes of an archive, plain or not, whose files keep to the limits. */
export function maxArchiveBytes({ maxBytes, maxFiles }: DownloadLimits): number {
  return maxBytes + maxFiles * BYTES_PER_FILE;
}

/**
 * Gives the bytes of a tar archive, plain or packed with gzip.
 *
 * @throws ResponseError for an archive in another format, that is damaged, or that grows beyond the limits
 */
export async function* unpacked(path: string, limits: DownloadLimits): AsyncGenerator<Uint8Array> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const format = await formatOf(file);
    if (format !== undefined && format !== "gzip") {
      throw new ResponseError(
        `the archive of the checkpoint is ${format}; only tar is read, plain or as gzip`,
      );
    }
    const maxRatioBytes = size * limits.maxRatio + FREE_BYTES;
    const maxBytes = maxArchiveBytes(limits);
    let count = 0;
    for await (const piece of format === "gzip" ? gunzipped(file) : read(file)) {
      count += piece.byteLength;
      if (count > maxBytes) throw tooLarge(`the ${limits.maxBytes} bytes of maxBytes`);
      if (count > maxRatioBytes) throw tooLarge(`${limits.maxRatio} times its length, which maxRatio allows`);
      yield piece;
    }
  } finally {
    await file.close();
  }
}

function read(file: FileHandle): AsyncIterable<Uint8Array> {
  return file.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 });
}

async function* gunzipped(file: FileHandle): AsyncGenerator<Uint8Array> {
  const unpacking = createGunzip({ chunkSize: 256 * 1024 });
  // The loop hears of a failure.
  pipeline(file.createReadStream({ start: 0, autoClose: false }), unpacking, () => {});
  try {
    for await (const piece of unpacking) yield piece;
  } catch (cause) {
    if (TinkexError.isInstance(cause)) throw cause;
    const message = `the archive of the checkpoint cannot be unpacked: ${errorMessage(cause)}`;
    throw new ResponseError(message, { cause });
  }
}

async function formatOf(file: FileHandle): Promise<string | undefined> {
  const { buffer } = await file.read(new Uint8Array(8), 0, 8, 0);
  return FORMATS.find(([, beginning]) => beginning.every((byte, index) => buffer[index] === byte))?.[0];
}

function tooLarge(limit: string): ResponseError {
  return new ResponseError(`the archive of the checkpoint unpacks to more than ${limit}`);
}
