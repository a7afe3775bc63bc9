import { createHash, type Hash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { ResponseError } from "@tinkex/base";
import type { Dispatcher } from "undici";
import { BodyPieces } from "../body/body-pieces.js";

/** What is known of a file after the pieces received so far. */
export interface DownloadState {
  receivedBytes: number;
  totalBytes: number | undefined;
  /** The version that the first piece was of; later pieces must be of the same. */
  version: string | undefined;
  /** MD5 of the whole, in base64, where the store tells it. */
  md5: string | undefined;
  hash: Hash;
}

/** A state with nothing received. */
export function freshState(): DownloadState {
  return {
    receivedBytes: 0,
    totalBytes: undefined,
    version: undefined,
    md5: undefined,
    hash: createHash("md5"),
  };
}

/** Begins anew: what has come is of another version, or cannot be added to. */
export async function startOver(file: FileHandle, state: DownloadState): Promise<void> {
  Object.assign(state, freshState());
  await file.truncate(0);
}

/** Headers that ask for what is still missing, if it is still of the same version. */
export function rangeHeaders({ receivedBytes, version }: DownloadState): Record<string, string> {
  if (receivedBytes === 0 || version === undefined) return {};
  return { range: `bytes=${receivedBytes}-`, "if-range": version };
}

type ReceivedHeaders = Dispatcher.ResponseData["headers"];

/**
 * Where the piece of a 206 begins and how long the whole is.
 *
 * @throws ResponseError when it is not the piece that was asked for
 */
export function checkPart(headers: ReceivedHeaders, state: DownloadState): void {
  const match = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(one(headers["content-range"]) ?? "");
  if (match === null || Number(match[1]) !== state.receivedBytes) {
    throw new ResponseError(
      `the server sent the bytes ${one(headers["content-range"])} instead of those from ${state.receivedBytes}`,
    );
  }
  if (match[2] !== "*") state.totalBytes = Number(match[2]);
}

/** Takes in what the first answer says of the whole file. */
export function noteWhole(headers: ReceivedHeaders, state: DownloadState): void {
  const length = one(headers["content-length"]);
  state.totalBytes = length === undefined ? undefined : Number(length);
  const etag = one(headers.etag);
  // A weak tag names no bytes, so nothing can be appended by it.
  state.version = etag !== undefined && !etag.startsWith("W/") ? etag : one(headers["last-modified"]);
  state.md5 = /(?:^|[,\s])md5=([A-Za-z0-9+/=]+)/.exec(one(headers["x-goog-hash"]) ?? "")?.[1];
}

/** A failure on this side, of the file or of whoever watches: asking the server again would not mend it. */
export class OwnFailure extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("a failure of our own");
    this.reason = reason;
  }
}

/**
 * Appends a body to the file.
 *
 * @throws OwnFailure for what the file or `onBytes` throws; anything else is the body's
 */
export async function receiveInto(
  file: FileHandle,
  body: AsyncIterable<Uint8Array>,
  state: DownloadState,
  onBytes: () => void,
): Promise<void> {
  for await (const chunk of body) {
    try {
      await writeAll(file, chunk, state.receivedBytes);
      state.hash.update(chunk);
      state.receivedBytes += chunk.byteLength;
      onBytes();
    } catch (reason) {
      throw new OwnFailure(reason);
    }
  }
}

/** A file may take less than it is given, such as on a disk that is nearly full. */
async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.byteLength - at, position + at);
    at += bytesWritten;
  }
}

/** The beginning of an error's body. */
export async function errorBytes(status: number, body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces = new BodyPieces(status);
  for await (const piece of body) if (!pieces.add(piece)) break;
  return pieces.join();
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}
