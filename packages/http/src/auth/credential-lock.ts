import { lstat, open, rm } from "node:fs/promises";
import type { Clock } from "@tinkex/base";
import { errorCode } from "../errors/error-code.js";
import { CredentialError } from "./credential-error.js";

const RETRY_MS = 20;
/** Writing the store takes milliseconds: a lock that has stood so long was left by a process that died. */
const MAX_HELD_MS = 5_000;
/** Longest wait for those before us. */
const MAX_WAIT_MS = 30_000;

/**
 * Runs `work` while a file at `path` keeps out all others, of this process and of others. A lock that stays the same for
 * 5 s is taken over; its time is taken by our own clock, since its date may be anything. `work` asks `isHeld` right before
 * what cannot be undone, in case it was held up for longer itself.
 *
 * @throws CredentialError for a folder in the lock's place, or after waiting for 30 s; what the file system and `work` throw
 */
export async function withCredentialLock<T>(
  path: string,
  clock: Clock,
  work: (isHeld: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const ours = await take(path, clock);
  const isHeld = async (): Promise<boolean> => (await identityOf(path)) === ours;
  try {
    return await work(isHeld);
  } finally {
    if (await isHeld()) await rm(path, { force: true });
  }
}

/** @returns the identity of our lock */
async function take(path: string, clock: Clock): Promise<string> {
  const beganAt = clock.monotonic();
  let seen: string | undefined;
  let seenSince = beganAt;
  while (clock.monotonic() - beganAt < MAX_WAIT_MS) {
    const ours = await tryCreate(path);
    if (ours !== undefined) return ours;
    const theirs = await identityOf(path);
    if (theirs !== seen) {
      seen = theirs;
      seenSince = clock.monotonic();
    } else if (theirs !== undefined && clock.monotonic() - seenSince >= MAX_HELD_MS) {
      await removeLeft(path, theirs);
    }
    await clock.sleep(RETRY_MS);
  }
  throw new CredentialError(
    `${path} was held by others for ${MAX_WAIT_MS} ms; remove it if no other program runs`,
  );
}

async function tryCreate(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      return identity(await file.stat({ bigint: true }));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) === "EEXIST") return undefined;
    throw error;
  }
}

/** Takes a lock away that was left. Of all who want to, the one who makes a file named after that very lock may. */
async function removeLeft(path: string, left: string): Promise<void> {
  const guard = `${path}.${left}`;
  if ((await tryCreate(guard)) === undefined) return;
  try {
    if ((await identityOf(path)) === left) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

/** Tells one lock from another at the same place. */
async function identityOf(path: string): Promise<string | undefined> {
  try {
    const stat = await lstat(path, { bigint: true });
    if (stat.isDirectory())
      throw new CredentialError(`${path} must be a lock file, and is a folder; remove it`);
    return identity(stat);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function identity({ ino, mtimeNs }: { readonly ino: bigint; readonly mtimeNs: bigint }): string {
  return `${ino}-${mtimeNs}`;
}
