import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ClosedError, type Logger, ValidationError } from "@tinkex/base";
import { isProcessGone, processMark } from "@tinkex/base/node";
import { readIfThere } from "../lines/read-if-there.js";
import { writeText } from "../lines/write-lines.js";

/** File that names the writer of a run. */
const LOCK_FILE = "tinkex.lock";

/** Record of a writer. */
interface Holder {
  /** Differs from one opening of the run to the next. */
  readonly token: string;
  /** Machine and process, as `processMark` names them. */
  readonly process: string;
  /** Start of the process as the system counts it; tells it from a later one with the same id. */
  readonly startedAt: string | undefined;
}

/**
 * Right to write a run. One process has it at a time; whoever opens the run last within a process has it, so that a call that was given up writes
 * nothing more into a run that another one goes on with.
 */
export class WriterLock {
  readonly #directory: string;
  readonly #token: string;

  private constructor(directory: string, token: string) {
    this.#directory = directory;
    this.#token = token;
  }

  /**
   * Takes the right to write.
   *
   * @throws ValidationError when another process of this machine writes the run
   */
  static async take(directory: string, logger: Logger): Promise<WriterLock> {
    const path = join(directory, LOCK_FILE);
    const holder = await holderIn(path);
    const own = processMark();
    if (holder !== undefined && holder.process !== own) {
      const [machine, pid] = holder.process.split("-");
      if (machine !== own.split("-")[0]) {
        logger.warn(`${directory} was written on another machine, which writes nothing more from now on`);
      } else if (await isRunning(holder)) {
        throw new ValidationError(
          `openRun: ${directory} is being written by process ${pid}; wait for its end, or choose another directory`,
        );
      }
    }
    const token = randomUUID();
    const record: Holder = { token, process: own, startedAt: await startOf(process.pid) };
    await writeText(path, `${JSON.stringify(record)}\n`);
    return new WriterLock(directory, token);
  }

  /** @throws ClosedError when the run was opened again, or closed */
  async check(): Promise<void> {
    if (await this.#isHeld()) return;
    throw new ClosedError(
      `${this.#directory} was closed, or opened again by another call, which goes on with the run`,
    );
  }

  /** Gives the right back. */
  async release(): Promise<void> {
    if (await this.#isHeld()) await rm(join(this.#directory, LOCK_FILE), { force: true });
  }

  async #isHeld(): Promise<boolean> {
    return (await holderIn(join(this.#directory, LOCK_FILE)))?.token === this.#token;
  }
}

/** Reads who writes; undefined where nobody does, or nobody knows. */
async function holderIn(path: string): Promise<Holder | undefined> {
  try {
    const holder: unknown = JSON.parse((await readIfThere(path)) ?? "null");
    const isHolder =
      typeof holder === "object" &&
      holder !== null &&
      "token" in holder &&
      "process" in holder &&
      typeof holder.process === "string";
    return isHolder ? (holder as Holder) : undefined; // as the check says
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function isRunning({ process, startedAt }: Holder): Promise<boolean> {
  if (isProcessGone(process)) return false;
  const found = await startOf(Number(process.split("-")[1]));
  return startedAt === undefined || found === undefined || found === startedAt;
}

/** Start of a process in `/proc/<pid>/stat`, behind the program's name, which may hold anything in its brackets; undefined where there is no such file. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
}
