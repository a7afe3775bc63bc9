import { constants } from "node:fs";
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { replaceFile } from "@tinkex/base/node";
import { type DownloadState, freshState } from "./download-part.js";

/** Reading and writing for the owner alone: what is written is a secret, or somebody's weights. */
const FILE_MODE = 0o600;
const READ_BYTES = 1024 * 1024;
/** A character that no header has. */
const NOT_SENT = /[^\t -~\u0080-\u00ff]/;

/** A file that is being received, and the place of what is known of it. */
export interface GrowingFile {
  readonly file: FileHandle;
  readonly state: DownloadState;
  /** Keeps what the first answer said of the file, before a byte of it is written. */
  keep(): Promise<void>;
}

/**
 * Puts a file in the place of `target` in one step, as `replaceFile` does, and lets it grow at a path that outlives failures and the
 * process: the next call goes on there.
 *
 * @param partial - path of the growing file, which one caller at a time may use; `<partial>.json` says which version it is of
 */
export async function resumeFile<T>(
  target: string,
  partial: string,
  write: (growing: GrowingFile) => Promise<T>,
  isFlushed: boolean,
): Promise<T> {
  // A link that stands there is not followed, where the system can refuse one.
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const file = await open(partial, flags, FILE_MODE);
  let result: T;
  try {
    await file.chmod(FILE_MODE);
    const state = await readState(file, recordPath(partial));
    result = await write({ file, state, keep: () => writeRecord(state, recordPath(partial)) });
    if (isFlushed) await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, target);
  await rm(recordPath(partial), { force: true });
  return result;
}

/** Takes away a growing file and what is known of it: what has come is not to be gone on with. */
export async function removeKept(partial: string): Promise<void> {
  await rm(partial, { force: true });
  await rm(recordPath(partial), { force: true });
}

function recordPath(partial: string): string {
  return `${partial}.json`;
}

async function writeRecord(state: DownloadState, path: string): Promise<void> {
  const { totalBytes, etag, lastModified, md5 } = state;
  await replaceFile(path, (record) =>
    record.writeFile(JSON.stringify({ totalBytes, etag, lastModified, md5 })),
  );
}

/** Reads what came of a file before; nothing, where that is not known or cannot be. */
async function readState(file: FileHandle, path: string): Promise<DownloadState> {
  const state = freshState();
  const { size } = await file.stat();
  const known = await readFile(path, "utf8").then(parseRecord, () => undefined);
  if (known === undefined || size === 0 || size > (known.totalBytes ?? size)) {
    await file.truncate(0);
    return state;
  }
  Object.assign(state, known, { receivedBytes: size });
  if (known.md5 === undefined) return state;
  const piece = new Uint8Array(READ_BYTES);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(piece, 0, piece.byteLength, at);
    if (bytesRead === 0) break;
    state.hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return state;
}

type Known = Pick<DownloadState, "totalBytes" | "etag" | "lastModified" | "md5">;

function parseRecord(text: string): Known | undefined {
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof record !== "object" || record === null) return undefined;
  const textOf = (name: string): string | undefined => {
    const value: unknown = Reflect.get(record, name);
    // Of a damaged record, a header that cannot be sent would end this call and every later one.
    return typeof value === "string" && !NOT_SENT.test(value) ? value : undefined;
  };
  const totalBytes: unknown = Reflect.get(record, "totalBytes");
  return {
    totalBytes: typeof totalBytes === "number" ? totalBytes : undefined,
    etag: textOf("etag"),
    lastModified: textOf("lastModified"),
    md5: textOf("md5"),
  };
}
