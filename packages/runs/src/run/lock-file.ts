import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { type Logger, ValidationError } from "@tinkex/base";
import { isProcessGone, processMark } from "@tinkex/base/node";
import { isMissing, readIfThere } from "../lines/read-if-there.js";
import { asRefusal } from "./make-folder.js";

/** Most times that a lock is looked at again since others have changed it meanwhile. */
const MAX_TRIES = 100;

/** Record of a writer. */
export interface Holder {
  /** Differs from one taking of the lock to the next. */
  readonly token: string;
  /** Machine and process, as `processMark` names them. */
  readonly process: string;
  /** Start of the process as the system counts it; tells it from a later one with the same id. */
  readonly startedAt: string | undefined;
}

/** Right to write that is held. */
export interface HeldLock {
  /** @throws ClosedError when it was given back, or another call or process has it */
  check(): Promise<void>;
  /** Gives the right back. */
  release(): Promise<void>;
}

/** Names of what is locked, for errors. */
export interface LockedPlace {
  /** E.g. `openRun: runs/a`. */
  readonly name: string;
  /** Remedy besides waiting, e.g. `choose another directory`. */
  readonly remedy: string;
}

/**
 * Takes a lock. It is made whole where there is none, and takes the place of one whose process has ended, of another machine or of this
 * process; two that try at the same time never both have it.
 *
 * @returns the token by which it is told from others
 * @throws ValidationError when another process of this machine has it
 */
export async function takeLock(path: string, place: LockedPlace, logger: Logger): Promise<string> {
  const own: Holder = {
    token: randomUUID(),
    process: processMark(),
    startedAt: await startOf(process.pid),
  };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const made = await isMade(path, own).catch((error: unknown) => {
      throw asRefusal(error, place);
    });
    if (made) return own.token;
    const holder = await refuseOther(path, place);
    if (isOfOtherMachine(holder)) {
      logger.warn(`${place.name} was written on another machine, which writes nothing more from now on`);
    }
    await takeAway(path, holder?.token);
  }
  throw new ValidationError(`${place.name} is being opened by several at once; ${place.remedy}`);
}

/**
 * Reads who holds a lock.
 *
 * @throws ValidationError when another process of this machine does
 */
export async function refuseOther(path: string, { name, remedy }: LockedPlace): Promise<Holder | undefined> {
  const holder = await holderIn(path);
  if (holder === undefined || holder.process === processMark() || isOfOtherMachine(holder)) return holder;
  if (!(await isRunning(holder))) return holder;
  throw new ValidationError(
    `${name} is being written by process ${processOf(holder)}; wait for its end, or ${remedy}`,
  );
}

/** Reads who holds a lock; undefined where nobody does, or nobody knows. */
export async function holderIn(path: string): Promise<Holder | undefined> {
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

/** Tells whether a lock is held by a process that runs, this one included; of another machine nobody knows, so that it counts as one. */
export async function isHeld(path: string): Promise<boolean> {
  const holder = await holderIn(path);
  return holder !== undefined && (isOfOtherMachine(holder) || (await isRunning(holder)));
}

/** Names a process that is not this one; undefined for this one, and where nobody holds the lock. */
export function otherProcess(holder: Holder | undefined): string | undefined {
  if (holder === undefined || holder.process === processMark()) return undefined;
  return isOfOtherMachine(holder) ? "a process of another machine" : `process ${processOf(holder)}`;
}

/** Takes a lock away, if it is still the one with this token: one that came meanwhile is put back. */
export async function takeAway(path: string, token: string | undefined): Promise<void> {
  if ((await holderIn(path))?.token !== token) return;
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  if ((await holderIn(aside))?.token !== token) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

/** Makes a lock whole in one step. @returns false where there is one */
async function isMade(path: string, holder: Holder): Promise<boolean> {
  const text = `${JSON.stringify(holder)}\n`;
  const whole = `${path}.${holder.token}`;
  try {
    await writeFile(whole, text, { flag: "wx" });
    // A file system without links takes it as it grows.
    const make = () => link(whole, path).catch(unlessThere(() => writeFile(path, text, { flag: "wx" })));
    return await make().then(
      () => true,
      (error: unknown) => {
        if (isThere(error)) return false;
        throw error;
      },
    );
  } finally {
    await rm(whole, { force: true });
  }
}

function unlessThere(other: () => Promise<void>): (error: unknown) => Promise<void> {
  return (error) => (isThere(error) ? Promise.reject(error) : other());
}

function isThere(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}

function isOfOtherMachine(holder: Holder | undefined): boolean {
  return holder !== undefined && holder.process.split("-")[0] !== processMark().split("-")[0];
}

function processOf(holder: Holder): string {
  return holder.process.split("-")[1] ?? "";
}

async function isRunning(holder: Holder): Promise<boolean> {
  if (isProcessGone(holder.process)) return false;
  const found = await startOf(Number(processOf(holder)));
  return holder.startedAt === undefined || found === undefined || found === holder.startedAt;
}

/** Start of a process in `/proc/<pid>/stat`, behind the program's name, which may hold anything in its brackets; undefined where there is no such file. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19];
}
