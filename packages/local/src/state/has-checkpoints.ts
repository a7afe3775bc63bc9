import { CHECKPOINT_KINDS } from "./checkpoint-record.js";
import type { DataLayout } from "./data-layout.js";
import { listRunIds } from "./list-run-ids.js";
import { entriesOf } from "./read-record.js";

/** Whether any checkpoint lies in a data directory. */
export async function hasCheckpoints(layout: DataLayout): Promise<boolean> {
  for (const runId of await listRunIds(layout)) {
    for (const kind of CHECKPOINT_KINDS) {
      if ((await entriesOf(layout.checkpoints(runId, kind))).length > 0) return true;
    }
  }
  return false;
}
