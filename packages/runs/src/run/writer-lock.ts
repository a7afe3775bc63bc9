import { join } from "node:path";
import { ClosedError, type Logger } from "@tinkex/base";
import { FileLock } from "./file-lock.js";
import {
  type HeldLock,
  holderIn,
  isHeld,
  type LockedPlace,
  otherProcess,
  refuseOther,
  takeAway,
  takeLock,
} from "./lock-file.js";
import { RUN_FILES } from "./run-files.js";

/** File that names the writer of a run. */
const LOCK_FILE = "tinkex.lock";

const REMEDY = "choose another directory";

/** Names the folder of a run for errors. */
export function placeOfRun(directory: string): LockedPlace {
  return { name: `openRun: ${directory}`, remedy: REMEDY };
}

/**
 * Right to write a run. One process has it at a time; whoever opens the run last within a process has it, so that a call that was given up writes
 * nothing more into a run that another one goes on with.
 */
export class WriterLock implements HeldLock {
  readonly #directory: string;
  readonly #token: string;

  private constructor(directory: string, token: string) {
    this.#directory = directory;
    this.#token = token;
  }

  /**
   * Takes the right to write.
   *
   * @throws ValidationError when another process of this machine writes the run, or its metrics
   */
  static async take(directory: string, logger: Logger): Promise<WriterLock> {
    const place = placeOfRun(directory);
    const lock = new WriterLock(directory, await takeLock(join(directory, LOCK_FILE), place, logger));
    try {
      await FileLock.refuseOther(join(directory, RUN_FILES.metrics), place);
      return lock;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** @throws ValidationError when another process of this machine writes the run. @param method - named in the error */
  static async refuseOther(directory: string, method: string): Promise<void> {
    await refuseOther(join(directory, LOCK_FILE), { name: `${method}: ${directory}`, remedy: REMEDY });
  }

  /** Tells whether a call of this process, or of one that still runs, writes the run. */
  static async isHeld(directory: string): Promise<boolean> {
    return isHeld(join(directory, LOCK_FILE));
  }

  async check(): Promise<void> {
    const holder = await holderIn(join(this.#directory, LOCK_FILE));
    if (holder?.token === this.#token) return;
    const other = otherProcess(holder);
    throw new ClosedError(
      other === undefined
        ? `${this.#directory} was closed, or opened again by another call, which goes on with the run`
        : `${this.#directory} was opened by ${other}, which goes on with the run`,
    );
  }

  async release(): Promise<void> {
    await takeAway(join(this.#directory, LOCK_FILE), this.#token);
  }
}
