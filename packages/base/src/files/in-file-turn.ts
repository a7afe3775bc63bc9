import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Mutex } from "../flow/mutex.js";

interface Turn {
  readonly mutex: Mutex;
  /** Callers that have it or wait for it. */
  users: number;
}

const turns = new Map<string, Turn>();
/** Made with the first turn: some runtimes end a program that makes a controller while it loads. */
let never: AbortSignal | undefined;

/**
 * Does work on a file while no other caller of this process does, so that what one reads is still so when it writes. A link and the file
 * that it leads to are one. Work that waits for another turn of the same file never ends.
 *
 * @returns what `work` gives
 * @throws what `work` throws
 */
export async function inFileTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const key = await keyOf(path);
  const turn = turns.get(key) ?? { mutex: new Mutex(), users: 0 };
  turns.set(key, turn);
  turn.users += 1;
  try {
    never ??= new AbortController().signal;
    return await turn.mutex.runExclusive(never, work);
  } finally {
    turn.users -= 1;
    if (turn.users === 0) turns.delete(key);
  }
}

/** Path without links. A file that is not there yet is told by its folder. */
async function keyOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = dirname(resolve(path));
    return join(await realpath(folder).catch(() => folder), basename(path));
  }
}
