import { describeValue, ValidationError } from "@tinkex/base";
import { rowsIn } from "../lines/file-lines.js";
import type { CheckpointRecord } from "./records.js";
import type { ResumePoint } from "./run.js";

/** Steps at which epochs begin, by the rows of metrics. */
export interface EpochStarts {
  readonly firstSteps: ReadonlyMap<number, number>;
  /** The step behind the last row. */
  readonly nextStep: number;
}

/** Finds the first step of each epoch in a file of metrics. */
export async function epochStartsIn(path: string): Promise<EpochStarts> {
  const firstSteps = new Map<number, number>();
  let nextStep = 0;
  for await (const { row } of rowsIn(path)) {
    const { step, epoch } = row ?? {};
    if (typeof step !== "number" || !isCount(step)) continue;
    nextStep = Math.max(nextStep, step + 1);
    if (typeof epoch !== "number" || !isCount(epoch)) continue;
    firstSteps.set(epoch, Math.min(step, firstSteps.get(epoch) ?? step));
  }
  return { firstSteps, nextStep };
}

/**
 * Finds where a run goes on: at the last checkpoint that has weights and optimizer. Those that can only be sampled from are passed over.
 *
 * @throws ValidationError when that checkpoint does not say which batch comes next
 */
export function resumePointOf(
  checkpoints: readonly CheckpointRecord[],
  starts: EpochStarts,
  directory: string,
): ResumePoint | undefined {
  const checkpoint = checkpoints.findLast((record) => typeof record.state_path === "string");
  if (checkpoint?.state_path === undefined) return undefined;
  const { state_path: statePath } = checkpoint;
  return {
    checkpoint,
    statePath,
    batch: stepsOf(checkpoint, starts, directory),
    // The cookbook tells the last one by its name alone.
    isFinished: checkpoint.final === true || checkpoint.name === "final",
  };
}

/**
 * Number of steps in a checkpoint. Our recipes write it; supervised loops of the cookbook write the epoch, and the batch within it, so that the
 * metrics have to tell how many steps the epochs before it had.
 */
function stepsOf(checkpoint: CheckpointRecord, starts: EpochStarts, directory: string): number {
  const { batch, epoch, steps } = checkpoint;
  if (isCount(steps)) return steps;
  const place = `${directory}: batch of checkpoint ${describeValue(checkpoint.name)}`;
  if (!isCount(batch)) {
    throw new ValidationError(
      `${place} must be a whole number from 0, got ${describeValue(batch)}; choose another directory`,
    );
  }
  if (epoch === undefined || epoch === 0) return batch;
  const { firstSteps, nextStep } = starts;
  if (!isCount(epoch) || nextStep === 0) {
    throw new ValidationError(
      `${place} is counted within epoch ${describeValue(epoch)}, and no row of metrics tells where that begins; choose another directory`,
    );
  }
  return (firstSteps.get(epoch) ?? nextStep) + batch;
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}
