import { createHash } from "node:crypto";
import { hostname } from "node:os";

/** Names this process among those of all machines that share a folder: the machine, hashed, and the process id. */
export function processMark(): string {
  return `${machineMark()}-${process.pid}`;
}

/** Tells whether a mark is that of a process of this machine which has ended; of other machines nobody knows. */
export function isProcessGone(mark: string): boolean {
  const [machine, pid] = mark.split("-");
  if (machine !== machineMark() || pid === undefined || !/^[0-9]{1,10}$/.test(pid) || Number(pid) === 0)
    return false;
  try {
    // Signal 0 only asks.
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

function machineMark(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
}
