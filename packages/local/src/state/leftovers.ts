import { rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "@tinkex/base";
import { CHECKPOINT_KINDS, type CheckpointKind } from "./checkpoint-record.js";
import type { DataLayout } from "./data-layout.js";
import { listRunIds } from "./list-run-ids.js";
import { isOwnerRunning, ownedName } from "./owned-name.js";
import { entriesOf } from "./read-record.js";

/** No save takes this long: what is older belongs to nobody, even if a process has the number of its owner again. */
const ABANDONED_AFTER_MS = 3_600_000;

/** Name of a folder in which a checkpoint waits while its successor is moved into its place. */
export function retirementName(kind: CheckpointKind): string {
  return `${ownedName()}~${kind}`;
}

/**
 * Cleans up after servers that were killed: removes unfinished saves and what belonged to sampling sessions, puts back
 * checkpoints whose replacement never came.
 */
export async function clearLeftovers(layout: DataLayout, clock: Clock): Promise<void> {
  // A sampling session may rest for days, so age says nothing here.
  const ownerless = (await entriesOf(layout.parked)).filter((name) => !isOwnerRunning(name));
  for (const name of ownerless) await rm(join(layout.parked, name), { recursive: true, force: true });
  for (const runId of await listRunIds(layout)) {
    for (const folder of await abandoned(layout.staging(runId), clock)) {
      await rm(folder, { recursive: true, force: true });
    }
    for (const folder of await abandoned(layout.retired(runId), clock)) {
      await putBack(layout, runId, folder);
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function putBack(layout: DataLayout, runId: string, folder: string): Promise<void> {
  const [, , , givenKind] = basename(folder).split("~");
  const kind = CHECKPOINT_KINDS.find((known) => known === givenKind);
  if (kind === undefined) return;
  for (const name of await entriesOf(folder)) {
    // Fails when the successor is in place, and then the old one is of no use.
    await rename(join(folder, name), layout.checkpoint(runId, kind, name)).catch(() => {});
  }
}

/** Folders of `directory` whose owner is gone. */
async function abandoned(directory: string, clock: Clock): Promise<string[]> {
  const names = await entriesOf(directory);
  const verdicts = await Promise.all(
    names.map(async (name) => {
      if (!isOwnerRunning(name)) return true;
      // An owner that runs may remove its folder just now.
      const changedMs = await stat(join(directory, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => Number.POSITIVE_INFINITY,
      );
      return clock.now() - changedMs > ABANDONED_AFTER_MS;
    }),
  );
  return names.filter((_, index) => verdicts[index]).map((name) => join(directory, name));
}
