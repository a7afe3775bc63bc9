import type { BigIntStats } from "node:fs";
import { lstat, open, readFile, rm, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, TimeoutError } from "@tinkex/base";
import { isProcessGone, makeFolders, processMark } from "@tinkex/base/node";

const RETRY_MS = 100;
const HEARTBEAT_MS = 2_000;
/** A lock whose holder has not touched it for so long belongs to a process that died. */
const STALE_MS = 15_000;
/** Of a holder that is known to have ended: two heartbeats, and a little for file systems that tell dates late. */
const GONE_MS = 5_000;
/** No longer than a download may take, with its tries: a process that hangs may go on touching its lock. */
const MAX_WAIT_MS = 40 * 60_000;

/**
 * Runs `work` while a file at `path` tells other processes to wait. A lock left by a process that died is taken over
 * after 15 s, be its date in the past or, by another machine's clock, in the future; after 5 s where the process was one of
 * this machine. Should two processes take it over
 * at the same time, both work: what they do must bear that.
 *
 * @throws TimeoutError when the holder is alive and not done after 40 minutes.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<T> {
  await makeFolders(dirname(path));
  const own = await acquire(path, clock, signal);
  const done = new AbortController();
  const heartbeat = keepFresh(path, own, clock, done.signal);
  try {
    return await work();
  } finally {
    done.abort();
    await heartbeat;
    // A holder that stood still for too long finds the lock of another here.
    if ((await identityOf(path)) === own) await rm(path, { force: true });
  }
}

/** Gives the identity of the lock that was made. */
async function acquire(path: string, clock: Clock, signal: AbortSignal | undefined): Promise<string> {
  const began = clock.monotonic();
  let seen = { touchedMs: Number.NaN, since: began };
  for (;;) {
    const own = await tryCreate(path);
    if (own !== undefined) return own;
    const now = clock.monotonic();
    const touchedMs = await lastTouchedMs(path);
    // Its date is by the clock of the machine that wrote it, so that it stays the same counts too.
    if (seen.touchedMs !== touchedMs) seen = { touchedMs, since: now };
    const staleMs = (await isHolderGone(path)) ? GONE_MS : STALE_MS;
    if (clock.now() - touchedMs > staleMs || now - seen.since > staleMs) {
      await rm(path, { force: true });
    } else if (now - began > MAX_WAIT_MS) {
      throw new TimeoutError(
        `another process has held the lock ${path} for ${MAX_WAIT_MS / 60_000} minutes; end it, or remove the file`,
        { timeoutMs: MAX_WAIT_MS },
      );
    } else await clock.sleep(RETRY_MS, signal);
  }
}

async function tryCreate(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, "wx");
    try {
      await file.writeFile(processMark());
      return identity(await file.stat({ bigint: true }));
    } catch (cause) {
      // A disk that is full has room for the name alone, which would keep the next call waiting.
      await rm(path, { force: true });
      throw cause;
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return undefined;
    throw cause;
  }
}

/** Tells whether the process that a lock names has ended; of a lock that names none, or is gone, nobody knows. */
async function isHolderGone(path: string): Promise<boolean> {
  const isFile = await lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile && isProcessGone(await readFile(path, "utf8").catch(() => ""));
}

/** The identity of the lock that stands there, be it ours or another's; `undefined` where none does. */
async function identityOf(path: string): Promise<string | undefined> {
  return lstat(path, { bigint: true }).then(identity, () => undefined);
}

/** Tells files apart, also one that has got the number of another that is gone. */
function identity({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** The date of the lock itself, not of what it may link to; 1970 when it is gone, or may as well be. */
async function lastTouchedMs(path: string): Promise<number> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

async function keepFresh(path: string, own: string, clock: Clock, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    try {
      await clock.sleep(HEARTBEAT_MS, done, { background: true });
      if ((await identityOf(path)) !== own) return;
      const now = new Date(clock.now());
      await utimes(path, now, now);
    } catch {
      return; // Done, or the lock was taken over.
    }
  }
}
