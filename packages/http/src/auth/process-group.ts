import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** Pause between asking a group to end and making it, in milliseconds. */
const GRACE_MS = 500;
const LOOK_MS = 10;
const IS_WINDOWS = process.platform === "win32";
/** Signals that end this process unless somebody listens. */
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Leaders of the groups that run now. */
const running = new Set<number>();

/** Options of `spawn` by which a command becomes a group of its own, which can be ended with all that it started. */
export const OWN_GROUP = { detached: !IS_WINDOWS, windowsHide: true } as const;

/**
 * Has a group end with this process: a group of its own hears no Ctrl-C of the terminal.
 *
 * @returns a function that gives this up
 */
export function endWithThisProcess({ pid }: ChildProcess): () => void {
  if (pid === undefined) return () => {};
  if (running.size === 0) {
    process.on("exit", killAll);
    for (const signal of ENDING_SIGNALS) process.on(signal, passOn);
  }
  running.add(pid);
  return () => {
    if (!running.delete(pid) || running.size > 0) return;
    process.off("exit", killAll);
    for (const signal of ENDING_SIGNALS) process.off(signal, passOn);
  };
}

/** Ends what is left of a group: asks all of its members, and kills those that still run after half a second. */
export async function endGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  if (IS_WINDOWS) return endTree(pid);
  if (!signalGroup(pid, "SIGTERM")) return;
  for (let waitedMs = 0; waitedMs < GRACE_MS; waitedMs += LOOK_MS) {
    await sleep(LOOK_MS);
    if (!signalGroup(pid, 0)) return;
  }
  signalGroup(pid, "SIGKILL");
}

function killAll(): void {
  for (const pid of running) {
    if (IS_WINDOWS) void endTree(pid);
    else signalGroup(pid, "SIGKILL");
  }
}

/** Ctrl-C goes to all that a terminal runs. If nobody else listens, this process ends as it would have without us. */
function passOn(signal: (typeof ENDING_SIGNALS)[number]): void {
  if (process.listenerCount(signal) === 1) {
    killAll();
    process.off(signal, passOn);
    process.kill(process.pid, signal);
  } else if (signal !== "SIGTERM") {
    for (const pid of running) signalGroup(pid, signal);
  }
}

/** Sends a signal to all members of a group. @returns whether there are any */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Windows has no groups, and knows who started whom. */
function endTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const killer = spawn("taskkill", ["/pid", String(pid), "/T", "/F"], {
      stdio: "ignore",
      windowsHide: true,
    });
    killer.on("error", () => resolve());
    killer.on("close", () => resolve());
  });
}
