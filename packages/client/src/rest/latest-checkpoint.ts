import type { CheckpointType } from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { isExpired, type ListedCheckpoint, newestFirst, readRunCheckpoints } from "./checkpoints.js";
import type { RestRequest } from "./rest-request.js";

/** Options of finding a run's newest checkpoint. */
export interface LatestCheckpointOptions extends CallOptions {
  /** @defaultValue `training` */
  readonly checkpoint_type?: CheckpointType | undefined;
}

export const LATEST_CHECKPOINT_OPTIONS = { ...CALL_OPTIONS, checkpoint_type: true } as const;

/** Finds a run's newest checkpoint of a type, unless its time is over. */
export async function readLatestCheckpoint(
  request: RestRequest,
  run: string,
  { checkpoint_type = "training" }: LatestCheckpointOptions,
): Promise<ListedCheckpoint | undefined> {
  const { checkpoints } = await readRunCheckpoints(request, run);
  const now = request.clock.now();
  return newestFirst(checkpoints).find(
    (each) => each.checkpoint_type === checkpoint_type && !isExpired(each, now),
  );
}
