import { CheckpointPath } from "@tinkex/types";
import { RequestRefusal } from "../errors/request-refusal.js";
import { CHECKPOINT_KINDS, type CheckpointKind, type CheckpointRecord } from "./checkpoint-record.js";
import type { CheckpointStore } from "./checkpoint-store.js";

/**
 * The checkpoint a `tinker://` path names.
 *
 * @param kinds - what it may be
 * @throws ValidationError for text that is no path; RequestRefusal 400 for another kind, 404 for one that is not there
 */
export async function resolveCheckpoint(
  checkpoints: CheckpointStore,
  tinkerPath: string,
  kinds: readonly CheckpointKind[] = CHECKPOINT_KINDS,
): Promise<CheckpointRecord> {
  const { training_run_id: runId, checkpoint_id: id } = CheckpointPath.parse(tinkerPath);
  const [folder = "", name = ""] = id.split("/");
  const kind = kinds.find((known) => known === folder);
  if (kind === undefined) {
    throw new RequestRefusal(
      400,
      `"${tinkerPath}" must be a checkpoint of the kind ${kinds.join(" or ")}, got ${folder}`,
    );
  }
  const checkpoint = await checkpoints.read(runId, kind, name);
  if (checkpoint === undefined)
    throw new RequestRefusal(
      404,
      `there is no checkpoint "${tinkerPath}" on this server; list_user_checkpoints names those there are`,
    );
  return checkpoint;
}
