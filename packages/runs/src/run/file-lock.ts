import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { ClosedError, type Logger } from "@tinkex/base";
import { inFileTurn } from "@tinkex/base/node";
import {
  type HeldLock,
  holderIn,
  type LockedPlace,
  otherProcess,
  refuseOther,
  takeAway,
  takeLock,
} from "./lock-file.js";

/** Lock of this process. */
interface Held {
  token: string;
  /** Callers that have not given it back. */
  users: number;
}

/** Locks by their paths. */
const heldLocks = new Map<string, Held>();

/** Right to write one file, which one process has at a time; all callers within it share it. The lock stands beside the file, as `<file>.lock`. */
export class FileLock implements HeldLock {
  readonly #path: string;
  readonly #lock: string;
  readonly #held: Held;
  #isReleased = false;

  private constructor(path: string, lock: string, held: Held) {
    this.#path = path;
    this.#lock = lock;
    this.#held = held;
  }

  /** Takes the right to write. @throws ValidationError when another process of this machine has it */
  static async take(path: string, place: LockedPlace, logger: Logger): Promise<FileLock> {
    const lock = await lockOf(path);
    return inFileTurn(lock, async () => {
      const held = heldLocks.get(lock) ?? { token: "", users: 0 };
      if ((await holderIn(lock))?.token !== held.token) held.token = await takeLock(lock, place, logger);
      heldLocks.set(lock, held);
      held.users += 1;
      return new FileLock(path, lock, held);
    });
  }

  /** @throws ValidationError when another process of this machine writes the file */
  static async refuseOther(path: string, place: LockedPlace): Promise<void> {
    await refuseOther(await lockOf(path), place);
  }

  async check(): Promise<void> {
    if (this.#isReleased) throw new ClosedError(`${this.#path} was closed; open it again to write more`);
    const other = otherProcess(await holderIn(this.#lock));
    if (other !== undefined) {
      throw new ClosedError(`${this.#path} was opened by ${other}, which goes on with it`);
    }
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    await inFileTurn(this.#lock, async () => {
      this.#held.users -= 1;
      if (this.#held.users > 0) return;
      heldLocks.delete(this.#lock);
      await takeAway(this.#lock, this.#held.token);
    });
  }
}

/** Path of a file's lock: one, by whatever link the file is named. */
async function lockOf(path: string): Promise<string> {
  return `${await realpath(path).catch(() => resolve(path))}.lock`;
}
