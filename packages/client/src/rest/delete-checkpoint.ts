import { ApiStatusError } from "@tinkex/base";
import type { CheckpointPath } from "@tinkex/types";
import { partsOf } from "./checkpoint-parts.js";
import { isDoneByEarlierTry } from "./earlier-try.js";
import type { RestRequest } from "./rest-request.js";

/** Deletes a checkpoint. @throws ApiStatusError with code `not_found` when there is none; not when an earlier try has deleted it */
export async function deleteCheckpoint(request: RestRequest, path: CheckpointPath): Promise<void> {
  try {
    await request.ask("delete_checkpoint", undefined, { path: partsOf(path) });
  } catch (error) {
    if (error instanceof ApiStatusError && error.status === 404)
      request.checkpointLives.ended(path.tinker_path);
    if (!isDoneByEarlierTry(error, 404)) throw error;
  }
  request.checkpointLives.ended(path.tinker_path);
}
