import { ApiStatusError } from "@tinkex/base";
import { CheckpointPath, type CheckpointType } from "@tinkex/types";

/**
 * What a save does when its name is taken: fail at once, take the checkpoint that is there for the result, or replace it
 * (training checkpoints only).
 */
export type OnConflict = "error" | "reuse" | "overwrite";

/**
 * The path a save has in spite of a 409: when the caller takes what is there, or when an earlier try of the same save was
 * answered by nobody or by a server error, so that the name is taken by our own success.
 *
 * @throws `error` otherwise
 */
export function pathAfterConflict(
  error: unknown,
  save: {
    readonly modelId: string;
    readonly type: CheckpointType;
    readonly name: string;
    readonly onConflict?: OnConflict | undefined;
  },
): string {
  if (!(error instanceof ApiStatusError) || error.status !== 409) throw error;
  if (save.onConflict !== "reuse" && !error.earlierTries.some(({ mayHaveArrived }) => mayHaveArrived))
    throw error;
  return CheckpointPath.format(save.modelId, save.type, save.name);
}
