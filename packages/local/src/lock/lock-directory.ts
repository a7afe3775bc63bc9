import { randomUUID } from "node:crypto";
import { type Clock, type Logger, ValidationError } from "@tinkex/base";
import { isFileError } from "../files/is-file-error.js";
import { judgeOwner } from "./judge-owner.js";
import { type HeldLock, LockFolder } from "./lock-folder.js";
import { describeHolder, type LockRecord } from "./lock-record.js";
import type { ProcessTable } from "./process-table.js";

/** Time between two heartbeats of a holder. */
const HEARTBEAT_MS = 5000;
/** Age of a heartbeat from which on its owner, where nothing else is known of it, may be dead. */
const MAX_SILENCE_MS = 30_000;
/** Time for which an owner that may be dead is watched: clocks differ, and a machine that slept has beaten for nobody. */
const WATCH_MS = 2 * HEARTBEAT_MS;
/** Tries to take a turn; each failure means that another server has just taken or freed one. */
const MAX_TRIES = 20;

export interface LockSurroundings {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly processes: ProcessTable;
}

/** The right to write to a data directory, for one server at a time. */
export interface DirectoryLock {
  /** Aborted, with a text that says why, once the directory belongs to another server: write nothing more then. */
  readonly lost: AbortSignal;
  /** Tells the address, for the message that a second server gets. */
  announce(url: string): Promise<void>;
  /** Lets the next server have the directory. May be called twice. */
  release(): Promise<void>;
}

/**
 * Takes the lock of a data directory.
 *
 * @param folder - an existing folder for the lock's files
 * @param directory - name of the data directory, for messages
 * @throws ValidationError when another server has it, naming that one
 */
export async function lockDirectory(
  folder: string,
  directory: string,
  surroundings: LockSurroundings,
): Promise<DirectoryLock> {
  const files = new LockFolder(folder);
  const { clock, processes } = surroundings;
  const record: LockRecord = {
    id: randomUUID(),
    owner: processes.self,
    since: new Date(clock.now()).toISOString(),
  };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [last] = await files.entries();
    if (last?.isHeld === true) await requireDead(files, last.number, directory, surroundings);
    const number = (last?.number ?? 0) + 1;
    if (!(await files.take(number, record, clock.now()))) continue;
    // The turn counts only where nobody has gone further: our view may be older than several turns.
    if (
      (await files.entries()).some(
        (entry) => entry.number > number || (entry.number === number && !entry.isHeld),
      )
    ) {
      await files.drop(number);
      continue;
    }
    await files.dropBefore(number);
    return new HeldDirectory(files, number, record, surroundings);
  }
  throw new ValidationError(
    `startLocalServer: dataDirectory "${directory}" changed hands ${MAX_TRIES} times while this server tried to have it; ` +
      "start one server at a time, or name another directory",
    { path: ["dataDirectory"] },
  );
}

/** Tells that the last holder of a directory ended without giving it back. False where it may still run, and where there is no lock. */
export async function isHolderGone(folder: string, processes: ProcessTable): Promise<boolean> {
  const files = new LockFolder(folder);
  const [last] = await files.entries().catch((error: unknown) => {
    if (isFileError(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  });
  const held = last?.isHeld === true ? await files.look(last.number) : undefined;
  return held?.record !== undefined && judgeOwner(held.record.owner, processes) === "gone";
}

/** @throws ValidationError while the holder of this turn lives, or may live */
async function requireDead(
  files: LockFolder,
  number: number,
  directory: string,
  { clock, processes }: LockSurroundings,
): Promise<void> {
  const held = await files.look(number);
  if (held === undefined) return;
  const verdict = held.record === undefined ? "unknown" : judgeOwner(held.record.owner, processes);
  if (verdict === "gone") return;
  if (verdict === "running") throw inUse(directory, held, "");
  const remedy = ` (if it is gone, start again in ${MAX_SILENCE_MS / 1000} s)`;
  if (Math.abs(clock.now() - held.touchedAtMs) <= MAX_SILENCE_MS) throw inUse(directory, held, remedy);
  await clock.sleep(WATCH_MS);
  const later = await files.look(number);
  if (later !== undefined && later.touchedAtMs !== held.touchedAtMs) throw inUse(directory, later, "");
}

function inUse(directory: string, { record }: HeldLock, remedy: string): ValidationError {
  const holder = record === undefined ? "a server whose lock cannot be read" : describeHolder(record);
  return new ValidationError(
    `startLocalServer: dataDirectory "${directory}" is in use by ${holder}: close that one first${remedy}, or name another directory`,
    { path: ["dataDirectory"] },
  );
}

class HeldDirectory implements DirectoryLock {
  readonly #files: LockFolder;
  readonly #number: number;
  readonly #surroundings: LockSurroundings;
  #record: LockRecord;
  readonly #lost = new AbortController();
  readonly #stopped = new AbortController();
  readonly #heartbeat: Promise<void>;
  #released: Promise<void> | undefined;

  constructor(files: LockFolder, number: number, record: LockRecord, surroundings: LockSurroundings) {
    this.#files = files;
    this.#number = number;
    this.#record = record;
    this.#surroundings = surroundings;
    this.#heartbeat = this.#beat();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  async announce(url: string): Promise<void> {
    this.#record = { ...this.#record, url };
    await this.#files.update(this.#number, this.#record, this.#surroundings.clock.now());
  }

  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    this.#stopped.abort();
    await this.#heartbeat;
    if (!this.lost.aborted) await this.#files.free(this.#number);
  }

  async #beat(): Promise<void> {
    const { clock, logger } = this.#surroundings;
    const { signal } = this.#stopped;
    while (!signal.aborted && !this.lost.aborted) {
      const isDue = await clock.sleep(HEARTBEAT_MS, signal, { background: true }).then(
        () => true,
        () => false,
      );
      if (!isDue) return;
      try {
        const successor = await this.#successor();
        if (successor === undefined) await this.#files.touch(this.#number, clock.now());
        else this.#lost.abort(successor);
      } catch (error) {
        logger.warn("the heartbeat of the data directory's lock failed; it is tried again", { error });
      }
    }
  }

  /** Text about the server that has the directory now, unless it is still this one. */
  async #successor(): Promise<string | undefined> {
    try {
      const [last] = await this.#files.entries();
      const held = last?.isHeld === true ? await this.#files.look(last.number) : undefined;
      if (held?.record?.id === this.#record.id) return undefined;
      return held?.record === undefined
        ? "its lock was removed"
        : `it is in use by ${describeHolder(held.record)}`;
    } catch (error) {
      if (isFileError(error, "ENOENT", "ENOTDIR")) return "its lock was removed";
      throw error;
    }
  }
}
