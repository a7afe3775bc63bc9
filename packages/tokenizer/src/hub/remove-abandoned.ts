import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isProcessGone, processMark } from "@tinkex/base/node";

/** Beginning of the names that `mkdtemp` makes for files that are still being written: it says which process writes. */
export function unfinishedPrefix(): string {
  return `.tinkex-${processMark()}-`;
}

/** Names of folders that earlier versions made have no process in them. */
const UNFINISHED_NAME = /^\.tinkex-(?:([0-9a-f]{8}-[0-9]{1,10})-)?[A-Za-z0-9]{6}$/;

/** Far more than the half hour that a download with its retries may take, each byte of which dates its file anew. */
const ABANDONED_MS = 2 * 3_600_000;
/** Of a process that is gone: as long as its lock counts. */
const GONE_MS = 5_000;

/**
 * Removes what killed processes left unfinished in a folder: folders with our own names whose process is gone from this machine,
 * or in which nothing was written for two hours. Others stay, and so do links and files of such a name. The age is measured
 * against `own`, the folder of the same kind that the caller has just made there, because the file system's clock may not be
 * this machine's. What cannot be removed, or goes meanwhile, is left.
 */
export async function removeAbandoned(parent: string, own: string): Promise<void> {
  const nowMs = await lastWrittenMs(own);
  for (const name of await readdir(parent).catch(() => [])) {
    const found = UNFINISHED_NAME.exec(name);
    if (found === null) continue;
    const [, mark] = found;
    const folder = join(parent, name);
    try {
      const maxMs = mark !== undefined && isProcessGone(mark) ? GONE_MS : ABANDONED_MS;
      if (nowMs - (await lastWrittenMs(folder)) < maxMs) continue;
      await rm(folder, { recursive: true, force: true });
    } catch {
      // Another process removes it too, or another user's it is.
    }
  }
}

/** The date of the last change to a folder or to a file in it; now and later for what is no folder. */
async function lastWrittenMs(folder: string): Promise<number> {
  const found = await lstat(folder);
  if (!found.isDirectory()) return Number.POSITIVE_INFINITY;
  const files = await Promise.all((await readdir(folder)).map((name) => lstat(join(folder, name))));
  return Math.max(found.mtimeMs, ...files.map(({ mtimeMs }) => mtimeMs));
}
