import { mkdir, open, rm, stat, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "@tinkex/base";

const RETRY_MS = 100;
const HEARTBEAT_MS = 2_000;
/** A lock whose holder has not touched it for so long belongs to a process that died. */
const STALE_MS = 15_000;

/**
 * Runs `work` while a file at `path` tells other processes to wait. A lock left by a process that died is taken over
 * after 15 s. Should two processes take it over at the same time, both work: what they do must bear that.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  while (!(await tryCreate(path))) {
    if (await isStale(path, clock)) await rm(path, { force: true });
    else await clock.sleep(RETRY_MS, signal);
  }
  const done = new AbortController();
  const heartbeat = keepFresh(path, clock, done.signal);
  try {
    return await work();
  } finally {
    done.abort();
    await heartbeat;
    await rm(path, { force: true });
  }
}

async function tryCreate(path: string): Promise<boolean> {
  try {
    await (await open(path, "wx")).close();
    return true;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return false;
    throw cause;
  }
}

async function isStale(path: string, clock: Clock): Promise<boolean> {
  try {
    return clock.now() - (await stat(path)).mtimeMs > STALE_MS;
  } catch {
    return false; // Given back in the meantime.
  }
}

async function keepFresh(path: string, clock: Clock, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    try {
      await clock.sleep(HEARTBEAT_MS, done, { background: true });
      const now = new Date(clock.now());
      await utimes(path, now, now);
    } catch {
      return; // Done, or the lock was taken over.
    }
  }
}
