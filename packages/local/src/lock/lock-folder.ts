import { lstat, readdir, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { isFileError } from "../files/is-file-error.js";
import { readSmallFile } from "../files/read-small-file.js";
import { replacePrivateFile, writePrivateFile } from "../files/write-private-file.js";
import { type LockRecord, lockRecordSchema } from "./lock-record.js";

const MAX_LOCK_BYTES = 16_384;

/** `<number>.json` while it is held, `<number>.free` once it was given back. */
const ENTRY_NAME = /^(?<number>[1-9][0-9]{0,14})\.(?<state>json|free)$/;

/** A turn in the order of a directory's holders. */
export interface LockEntry {
  readonly number: number;
  readonly isHeld: boolean;
}

/** A look at a held lock: what it says, where that can be read, and when its owner last touched it. */
export interface HeldLock {
  readonly record: LockRecord | undefined;
  /** Time of the last heartbeat, in milliseconds since the epoch. */
  readonly touchedAtMs: number;
}

/**
 * The files by which servers take turns at a data directory. Each turn has a number, and the highest counts. A turn is
 * taken by making the file of the next number, which only one can; so two that find the same holder dead cannot both
 * follow it, and no file that counts is ever removed.
 */
export class LockFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Turns, the highest first. */
  async entries(): Promise<LockEntry[]> {
    const names = await readdir(this.#path);
    return names
      .flatMap((name) => {
        const groups = ENTRY_NAME.exec(name)?.groups;
        return groups === undefined
          ? []
          : [{ number: Number(groups.number), isHeld: groups.state === "json" }];
      })
      .sort((a, b) => b.number - a.number);
  }

  /** Makes the file of a turn. Returns false when somebody else was faster. */
  async take(number: number, record: LockRecord, nowMs: number): Promise<boolean> {
    try {
      await writePrivateFile(this.#file(number), lockText(record));
    } catch (error) {
      if (isFileError(error, "EEXIST")) return false;
      throw error;
    }
    await this.touch(number, nowMs);
    return true;
  }

  /** The held lock of this turn; `undefined` when it is not there any more. */
  async look(number: number): Promise<HeldLock | undefined> {
    try {
      const { mtimeMs } = await lstat(this.#file(number));
      return { record: await readLock(this.#file(number)), touchedAtMs: mtimeMs };
    } catch (error) {
      if (isFileError(error, "ENOENT", "ENOTDIR")) return undefined;
      throw error;
    }
  }

  /** Writes what is known of the holder by now. */
  async update(number: number, record: LockRecord, nowMs: number): Promise<void> {
    await replacePrivateFile(this.#file(number), lockText(record));
    await this.touch(number, nowMs);
  }

  /** The heartbeat: it needs no room on the disk. */
  async touch(number: number, nowMs: number): Promise<void> {
    await utimes(this.#file(number), nowMs / 1000, nowMs / 1000);
  }

  /** Gives a turn back; its number stays taken. */
  async free(number: number): Promise<void> {
    await rename(this.#file(number), this.#freedFile(number)).catch((error: unknown) => {
      if (!isFileError(error, "ENOENT", "ENOTDIR")) throw error;
    });
  }

  /** Removes a file of our own that does not count. */
  async drop(number: number): Promise<void> {
    await rm(this.#file(number), { force: true });
  }

  /** Removes the files of turns before this one. What is no lock of ours is left alone. */
  async dropBefore(number: number): Promise<void> {
    const earlier = (await this.entries()).filter((entry) => entry.number < number);
    for (const { number: earlierNumber, isHeld } of earlier) {
      const file = isHeld ? this.#file(earlierNumber) : this.#freedFile(earlierNumber);
      if ((await readLock(file)) !== undefined) await rm(file, { force: true });
    }
  }

  #file(number: number): string {
    return join(this.#path, `${number}.json`);
  }

  #freedFile(number: number): string {
    return join(this.#path, `${number}.free`);
  }
}

function lockText(record: LockRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

async function readLock(file: string): Promise<LockRecord | undefined> {
  const found = await readSmallFile(file, MAX_LOCK_BYTES);
  if (found === undefined || "fault" in found) return undefined;
  try {
    return lockRecordSchema.safeParse(JSON.parse(found.text)).data;
  } catch {
    return undefined;
  }
}
