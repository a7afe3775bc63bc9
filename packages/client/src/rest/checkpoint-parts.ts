import type { CheckpointPath } from "@tinkex/types";
import { checkId } from "./check-id.js";

/** Gives the parts of a checkpoint's path that addresses of the API are made of. */
export function partsOf({ training_run_id, checkpoint_id }: CheckpointPath): {
  readonly run: string;
  readonly kind: string;
  readonly name: string;
} {
  const slash = checkpoint_id.indexOf("/");
  return { run: training_run_id, kind: checkpoint_id.slice(0, slash), name: checkpoint_id.slice(slash + 1) };
}

/**
 * Writes the path of a checkpoint that is given by two ids.
 *
 * @param checkpoint_id - folder and name, e.g. `weights/0001`
 * @throws ValidationError
 */
export function pathOfIds(method: string, training_run_id: string, checkpoint_id: string): string {
  const run = checkId(method, "training_run_id", training_run_id);
  return `tinker://${run}/${checkId(method, "checkpoint_id", checkpoint_id)}`;
}
