import type { CheckpointPath } from "@tinkex/types";
import { partsOf } from "./checkpoint-parts.js";
import type { RestRequest } from "./rest-request.js";

/** Deletes a checkpoint. @throws ApiStatusError with code `not_found` when there is none */
export function deleteCheckpoint(request: RestRequest, path: CheckpointPath): Promise<void> {
  return request.ask("delete_checkpoint", undefined, { path: partsOf(path) });
}
