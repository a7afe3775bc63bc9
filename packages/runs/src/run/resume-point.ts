import { describeValue, ValidationError } from "@tinkex/base";
import type { CheckpointRecord } from "./records.js";
import type { ResumePoint } from "./run.js";

/**
 * Finds where a run goes on: at the last checkpoint that has weights and optimizer. Those that can only be sampled from are passed over.
 *
 * @throws ValidationError when that checkpoint does not say which batch comes next
 */
export function resumePointOf(
  checkpoints: readonly CheckpointRecord[],
  directory: string,
): ResumePoint | undefined {
  const checkpoint = checkpoints.findLast((record) => typeof record.state_path === "string");
  if (checkpoint?.state_path === undefined) return undefined;
  const { state_path: statePath, batch } = checkpoint;
  if (batch === undefined || !Number.isSafeInteger(batch) || batch < 0) {
    throw new ValidationError(
      `${directory}: batch of checkpoint ${describeValue(checkpoint.name)} must be a whole number from 0, got ${describeValue(batch)}; choose another directory`,
    );
  }
  return { checkpoint, statePath, batch, isFinished: checkpoint.final === true };
}
