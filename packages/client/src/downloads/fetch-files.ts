import { lstat, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ProgressListener, ResponseError } from "@tinkex/base";
import { downloadFile } from "@tinkex/http";
import type { CheckpointProgress, DownloadedFile, DownloadLimits } from "./download-options.js";
import type { DownloadSource, DownloadWork, SignedUrls } from "./download-work.js";
import { SafeNames } from "./safe-names.js";
import type { Staging } from "./staging.js";

/** An address that expires sooner is asked for anew: a file may take its time. */
const MIN_LIFE_MS = 5 * 60_000;

/**
 * Checks the names of files that a service lists, and puts them in order. The names are not shown: the service has seen our key.
 *
 * @throws ResponseError
 */
export function safeNames(urls: SignedUrls["urls"], limits: DownloadLimits): readonly string[] {
  const listed = Object.keys(urls).sort();
  if (listed.length === 0) throw new ResponseError("the checkpoint has no files");
  const safe = new SafeNames(limits.maxFiles);
  for (const [index, name] of listed.entries()) {
    safe.add(name, "file", `as file ${index + 1} of ${listed.length}`);
  }
  return listed;
}

/** The place that files are fetched to, and how many bytes they may have. */
export interface FetchPlace {
  readonly folder: string;
  /** Folder beside it where each grows. */
  readonly staging: Staging;
  readonly progress: ProgressListener<CheckpointProgress>;
  /** Most bytes of all files together. */
  readonly maxBytes: number;
}

/**
 * Fetches files one after the other, each to its place below a folder. Those that are there are whole, and not fetched.
 *
 * @returns them, with their names written plainly
 */
export async function fetchFiles(
  work: DownloadWork,
  source: DownloadSource,
  names: readonly string[],
  { folder, staging, progress, maxBytes }: FetchPlace,
): Promise<DownloadedFile[]> {
  let { signed } = source;
  let restBytes = maxBytes;
  const files: DownloadedFile[] = [];
  for (const [fileIndex, name] of names.entries()) {
    const target = join(folder, name);
    const report = (receivedBytes: number, totalBytes: number | undefined): void => {
      progress.tell({ file: name, fileIndex, fileCount: names.length, receivedBytes, totalBytes });
      progress.signal.throwIfAborted();
    };
    let byteLength = await lengthOf(target);
    if (byteLength === undefined) {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      let isFirst = true;
      byteLength = await downloadFile({
        url: async () => {
          const isFresh = signed.expiresAt.getTime() - work.clock.now() > MIN_LIFE_MS;
          if (!isFirst || !isFresh) signed = await source.sign();
          isFirst = false;
          return addressOf(signed, name);
        },
        target,
        partial: staging.path(`${fileIndex}.part`),
        // Of no byte at all there is no limit: the sum below tells.
        maxBytes: Math.max(restBytes, 1),
        flush: work.isFlushed,
        onProgress: ({ receivedBytes, totalBytes }) => report(receivedBytes, totalBytes),
        signal: work.signal,
        clock: work.clock,
        proxy: work.proxy,
      });
    } else report(byteLength, byteLength);
    restBytes -= byteLength;
    if (restBytes < 0)
      throw new ResponseError(`the files of the checkpoint have more than the ${maxBytes} bytes of maxBytes`);
    files.push({ name, byteLength });
  }
  return files;
}

/** @throws ResponseError for an address that no file can be fetched from; it is not shown, it may be signed */
function addressOf({ urls }: SignedUrls, name: string): string {
  const url = Object.hasOwn(urls, name) ? urls[name] : undefined;
  if (url === undefined)
    throw new ResponseError("the service lists a file no more that it has listed before");
  if (URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol)) return url;
  throw new ResponseError("the service gives an address for the download that is none of http or https");
}

async function lengthOf(path: string): Promise<number | undefined> {
  return lstat(path).then(
    ({ size }) => size,
    () => undefined,
  );
}
