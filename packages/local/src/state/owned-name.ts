import { randomUUID } from "node:crypto";

/** Tells this process from an earlier one of the same number: in a container every start may be process 1. */
const PROCESS_TAG = randomUUID().slice(0, 8);

/** A new name for a folder that is in use for a time; a later start reads from it whether its owner is gone. */
export function ownedName(): string {
  return `${process.pid}~${PROCESS_TAG}~${randomUUID()}`;
}

/** Whether the process that made up this name may still run. Another program may have got its number since. */
export function isOwnerRunning(name: string): boolean {
  const [processId, tag] = name.split("~");
  if (Number(processId) === process.pid) return tag === PROCESS_TAG;
  return isRunning(Number(processId));
}

function isRunning(processId: number): boolean {
  // 0 and below mean groups of processes.
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
