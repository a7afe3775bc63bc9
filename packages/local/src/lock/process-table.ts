import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import * as z from "zod";
import { isFileError } from "../files/is-file-error.js";

/** Text of a name that is compared and shown: no control characters, whoever wrote it. */
const shownName = z.string().regex(/^[^\p{C}]{1,255}$/u);

export const processIdentitySchema = z.object({
  host: shownName,
  /** Differs from one start of the machine to the next; unknown where the system has no such id. */
  bootId: shownName.optional(),
  /** Set of process ids that `pid` is one of: containers have their own. */
  pidNamespace: shownName.optional(),
  pid: z.int().positive(),
  /** Start time as the system counts it: tells a process from a later one of the same id. */
  startedAt: shownName.optional(),
});

/** Tells one process from every other, on this machine or another one. */
export type ProcessIdentity = Readonly<z.infer<typeof processIdentitySchema>>;

/** This process, and those beside it. */
export interface ProcessTable {
  readonly self: ProcessIdentity;
  /** A running process of this machine and namespace; `gone` when no process has the id. */
  lookUp(pid: number): "gone" | Pick<ProcessIdentity, "startedAt">;
}

/** The processes that the system knows. */
export function systemProcesses(): ProcessTable {
  // Under `unshare --pid` the files of /proc may be those of the namespace outside, where ids mean other processes.
  const hasOwnProc = link("/proc/self") === String(process.pid);
  const self = {
    host: hostname(),
    bootId: firstLine("/proc/sys/kernel/random/boot_id"),
    pidNamespace: link("/proc/self/ns/pid"),
    pid: process.pid,
    startedAt: readStat("self")?.startedAt,
  };
  return {
    self,
    lookUp(pid) {
      if (!isRunning(pid)) return "gone";
      const stat = hasOwnProc ? readStat(String(pid)) : undefined;
      // A zombie keeps its id until its parent has asked for it, and does nothing more.
      if (stat?.state === "Z") return "gone";
      return { startedAt: stat?.startedAt };
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return isFileError(error, "EPERM");
  }
}

/** State and start time in `/proc/<pid>/stat`, after the program's name, which may hold anything in its brackets. */
function readStat(pid: string): { readonly state: string; readonly startedAt: string } | undefined {
  const text = firstLine(`/proc/${pid}/stat`) ?? "";
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  const startedAt = fields[19];
  return state === undefined || startedAt === undefined ? undefined : { state, startedAt };
}

function firstLine(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").split("\n", 1)[0];
  } catch {
    return undefined;
  }
}

function link(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
