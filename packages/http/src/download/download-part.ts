import { createHash, type Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { ResponseError } from "@tinkex/base";
import { BodyPieces } from "../body/body-pieces.js";
import { encodingsOf } from "../body/encodings-of.js";
import type { DownloadAnswer } from "./download-requests.js";

/** State of a file after the pieces received so far. */
export interface DownloadState {
  receivedBytes: number;
  totalBytes: number | undefined;
  /** End of the piece that is being received, if the server has told. */
  pieceEnd: number | undefined;
  /** Version of the first answer; later pieces must be of the same. */
  etag: string | undefined;
  lastModified: string | undefined;
  /** MD5 of the whole, in base64, where the store tells it. */
  md5: string | undefined;
  hash: Hash;
}

/** A state with nothing received. */
export function freshState(): DownloadState {
  return {
    receivedBytes: 0,
    totalBytes: undefined,
    pieceEnd: undefined,
    etag: undefined,
    lastModified: undefined,
    md5: undefined,
    hash: createHash("md5"),
  };
}

/** Begins anew: what has come is of another version, or cannot be added to. */
export async function startOver(file: FileHandle, state: DownloadState): Promise<void> {
  Object.assign(state, freshState());
  await file.truncate(0);
}

/** The validator that a piece can be asked for by. A weak tag names no bytes, so nothing can be appended by it. */
export function versionOf({ etag, lastModified }: DownloadState): string | undefined {
  return etag !== undefined && !etag.startsWith("W/") ? etag : lastModified;
}

/** Headers that ask for what is still missing, if it is still of the same version. */
export function rangeHeaders(state: DownloadState): Record<string, string> {
  const version = versionOf(state);
  if (state.receivedBytes === 0 || version === undefined) return {};
  return { range: `bytes=${state.receivedBytes}-`, "if-range": version };
}

type ReceivedHeaders = DownloadAnswer["headers"];

/**
 * Takes in what a 206 says of its piece.
 *
 * @returns whether the piece is of the same version as what has come, of a file whose length is known; if not, nothing was taken in
 * @throws ResponseError when it is not the piece that was asked for, of a file of another length, or packed
 */
export function notePart(headers: ReceivedHeaders, state: DownloadState): boolean {
  checkPlain(headers);
  if (!isSameVersion(headers, state)) return false;
  const { receivedBytes, totalBytes } = state;
  // The header is not quoted: it is the server's text.
  const match = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16}|\*)$/.exec(one(headers["content-range"]) ?? "");
  if (match === null) {
    throw new ResponseError(
      `the server does not say which bytes it sends; asked were those from ${receivedBytes}`,
    );
  }
  const [, start, end, total] = match.map(Number);
  const whole = match[3] === "*" ? totalBytes : total;
  if (start !== receivedBytes || end === undefined || end < start) {
    throw new ResponseError(
      `the server sends the bytes ${start} to ${end} instead of those from ${receivedBytes}`,
    );
  }
  // A piece may be less than all that is missing: without a length nobody could tell that there is more.
  if (whole === undefined) return false;
  if (whole !== (totalBytes ?? whole) || end >= whole) {
    throw new ResponseError(
      `the server sends the bytes ${start} to ${end} of ${whole}; the file should have ${totalBytes ?? whole} bytes`,
    );
  }
  state.totalBytes = whole;
  state.pieceEnd = end + 1;
  return true;
}

/** Each validator that both answers have must be the same. A strong tag must come again (RFC 9110, 15.3.7) unless an MD5 will tell. */
function isSameVersion(headers: ReceivedHeaders, state: DownloadState): boolean {
  const etag = one(headers.etag);
  const lastModified = one(headers["last-modified"]);
  if (etag !== undefined && state.etag !== undefined) return etag === state.etag;
  if (lastModified !== undefined && state.lastModified !== undefined) {
    if (lastModified !== state.lastModified) return false;
  }
  return state.md5 !== undefined || state.etag === undefined || state.etag !== versionOf(state);
}

/**
 * Takes in what the first answer says of the whole file.
 *
 * @throws ResponseError for a file that is packed on its way: what is written would be other bytes than those stored
 */
export function noteWhole(headers: ReceivedHeaders, state: DownloadState): void {
  checkPlain(headers);
  const length = one(headers["content-length"]);
  state.totalBytes = length === undefined ? undefined : Number(length);
  state.pieceEnd = state.totalBytes;
  state.etag = one(headers.etag);
  state.lastModified = one(headers["last-modified"]);
  state.md5 = /(?:^|[,\s])md5=([A-Za-z0-9+/=]+)/.exec(one(headers["x-goog-hash"]) ?? "")?.[1];
}

/** The encoding is not quoted: it is the server's text. */
function checkPlain(headers: ReceivedHeaders): void {
  for (const name of ["content-encoding", "transfer-encoding"]) {
    if (encodingsOf(one(headers[name])).length === 0) continue;
    throw new ResponseError(`the server sends the file packed (${name}), which was not asked for`);
  }
}

/** A failure on this side, of the file or of whoever watches: asking the server again would not mend it. */
export class OwnFailure extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("a failure of our own");
    this.reason = reason;
  }
}

/** @throws OwnFailure, always */
export function failOwn(reason: unknown): never {
  throw new OwnFailure(reason);
}

/** @throws ResponseError when the file has more bytes than it may */
export function checkSize(byteLength: number | undefined, maxBytes: number | undefined): void {
  if (byteLength === undefined || maxBytes === undefined || byteLength <= maxBytes) return;
  throw new ResponseError(`the file has ${byteLength} bytes or more; maxBytes allows ${maxBytes}`);
}

/**
 * Appends a body to the file, and no byte more than was promised: a server may send without end. Pieces that come while others are
 * being written are written together.
 *
 * @param stop - breaks the body off, when writing has failed
 * @throws OwnFailure for what the file or `onBytes` throws; ResponseError for a body that is too long; anything else is the
 *   body's
 */
export async function receiveInto(
  file: FileHandle,
  body: DownloadAnswer["body"],
  state: DownloadState,
  maxBytes: number | undefined,
  onBytes: () => void,
  stop: () => void,
): Promise<void> {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | undefined;
  const failures: OwnFailure[] = [];
  const write = async (): Promise<void> => {
    try {
      while (waiting.length > 0) {
        const pieces = waiting;
        waiting = [];
        waitingBytes = 0;
        await writeAll(file, pieces, state.receivedBytes);
        for (const piece of pieces) {
          if (state.md5 !== undefined) state.hash.update(piece);
          state.receivedBytes += piece.byteLength;
        }
        onBytes();
      }
    } catch (reason) {
      failures.push(new OwnFailure(reason));
      stop();
    } finally {
      writing = undefined;
    }
  };
  let seenBytes = state.receivedBytes;
  try {
    for await (const chunk of body) {
      if (failures.length > 0) break;
      seenBytes += chunk.byteLength;
      if (state.pieceEnd !== undefined && seenBytes > state.pieceEnd) {
        throw new ResponseError(`the file should have ${state.pieceEnd} bytes up to here, and more came`);
      }
      checkSize(seenBytes, maxBytes);
      waiting.push(chunk);
      waitingBytes += chunk.byteLength;
      writing ??= write();
      if (waitingBytes >= MAX_WAITING_BYTES) await writing;
    }
  } catch (error) {
    await writing;
    // Whatever the body says about being broken off, this is why.
    throw failures[0] ?? error;
  }
  await writing;
  if (failures.length > 0) throw failures[0];
}

/** Most bytes that wait to be written. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** A file may take less than it is given, such as on a disk that is nearly full. */
async function writeAll(file: FileHandle, pieces: readonly Uint8Array[], position: number): Promise<void> {
  let at = position;
  let { bytesWritten: left } = await file.writev(pieces, at);
  at += left;
  for (const piece of pieces) {
    if (left >= piece.byteLength) {
      left -= piece.byteLength;
      continue;
    }
    for (let from = left; from < piece.byteLength; ) {
      const { bytesWritten } = await file.write(piece, from, piece.byteLength - from, at);
      from += bytesWritten;
      at += bytesWritten;
    }
    left = 0;
  }
}

/** The beginning of an error's body. */
export async function errorBytes(status: number, body: DownloadAnswer["body"]): Promise<Uint8Array> {
  const pieces = new BodyPieces(status);
  for await (const piece of body) if (!pieces.add(piece)) break;
  return pieces.join();
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}
