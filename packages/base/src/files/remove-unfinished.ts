import { lstat, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isProcessGone, processMark } from "../processes/process-mark.js";

/** Characters of the target's name in that of the growing file, so that names as long as they may be can grow too. */
const MAX_NAME_PART = 40;
/** Longer than a download is silent before it ends; ids of processes are told apart within one machine alone, not among containers. */
const MIN_AGE_MS = 2 * 60_000;

const UNFINISHED = /^([0-9a-f]{8}-[0-9]{1,10})\.[0-9a-f-]{36}\.partial$/;

/** Path of the file that grows beside a target until it is whole: its name says which process writes it. */
export function unfinishedPath(target: string, randomId: string): string {
  return join(dirname(target), `${namePart(target)}.${processMark()}.${randomId}.partial`);
}

/**
 * Removes files for the same target that processes of this machine left unfinished when they were killed. What cannot be removed,
 * or goes meanwhile, is left.
 *
 * @param own - the growing file that the caller has just made: ages are measured against it, as the file system has its own clock
 */
export async function removeUnfinished(target: string, own: string): Promise<void> {
  const beginning = `${namePart(target)}.`;
  const names = await readdir(dirname(target)).catch(() => []);
  const abandoned = names.filter((name) => {
    const mark = name.startsWith(beginning) ? UNFINISHED.exec(name.slice(beginning.length))?.[1] : undefined;
    return mark !== undefined && isProcessGone(mark);
  });
  if (abandoned.length === 0) return;
  const { mtimeMs: nowMs } = await lstat(own);
  for (const name of abandoned) {
    const path = join(dirname(target), name);
    try {
      const found = await lstat(path);
      if (found.isFile() && nowMs - found.mtimeMs >= MIN_AGE_MS) await rm(path, { force: true });
    } catch {
      // Another process removes it too, or another user's it is.
    }
  }
}

function namePart(target: string): string {
  // Half a character, where the name is cut in two, is stored as this one is, and found as it is stored.
  return Buffer.from(basename(target).slice(0, MAX_NAME_PART)).toString();
}
