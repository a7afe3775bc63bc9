import { randomUUID } from "node:crypto";
import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@tinkex/types";
import { CHECKPOINT_KINDS } from "./checkpoint-record.js";
import type { DataLayout } from "./data-layout.js";
import { listRunIds } from "./list-run-ids.js";
import { entriesOf } from "./read-record.js";

/** No save takes this long: what is older belongs to nobody, even if a process has the number of its owner again. */
const ABANDONED_AFTER_MS = 3_600_000;

/** Name of a folder that a server uses for a time. It carries the process id, so that a later start knows its owner is gone. */
export function stagingName(): string {
  return `${process.pid}~${randomUUID()}`;
}

/** Name under which a checkpoint waits while its successor is moved into its place. */
export function retiredName(kind: string, name: string): string {
  return `${process.pid}~${kind}~${name}`;
}

/**
 * Cleans up after servers that were killed: removes unfinished saves and what belonged to sampling sessions, puts back
 * checkpoints whose replacement never came.
 */
export async function clearLeftovers(layout: DataLayout, clock: Clock): Promise<void> {
  for (const name of await abandoned(layout.parked, clock)) {
    await rm(join(layout.parked, name), { recursive: true, force: true });
  }
  for (const runId of await listRunIds(layout)) {
    for (const name of await abandoned(layout.staging(runId), clock)) {
      await rm(join(layout.staging(runId), name), { recursive: true, force: true });
    }
    for (const name of await abandoned(layout.retired(runId), clock)) {
      const [, kind, checkpoint] = name.split("~");
      const place = CHECKPOINT_KINDS.find((known) => known === kind);
      const retired = join(layout.retired(runId), name);
      if (place !== undefined && checkpoint !== undefined) {
        // Fails when the successor is in place, and then the old one is of no use.
        await rename(retired, layout.checkpoint(runId, place, checkpoint)).catch(() => {});
      }
      await rm(retired, { recursive: true, force: true });
    }
  }
}

async function abandoned(directory: string, clock: Clock): Promise<string[]> {
  const names = await entriesOf(directory);
  const verdicts = await Promise.all(
    names.map(async (name) => {
      if (!isRunning(Number.parseInt(name, 10))) return true;
      // An owner that runs may remove its folder just now.
      const changedMs = await stat(join(directory, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => Number.POSITIVE_INFINITY,
      );
      return clock.now() - changedMs > ABANDONED_AFTER_MS;
    }),
  );
  return names.filter((_, index) => verdicts[index]);
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
