import { describeValue, ValidationError } from "@tinkex/base";
import { rowsIn } from "../lines/file-lines.js";
import type { CheckpointRecord } from "./records.js";
import type { ResumePoint } from "./run.js";

/** Names that the cookbook gives its checkpoints on the way: the step, in six digits or more. */
const STEP_NAME = /^[0-9]{6,15}$/;

/** Steps at which epochs begin, by the rows of metrics. */
export interface EpochStarts {
  readonly firstSteps: ReadonlyMap<number, number>;
  /** Epoch of the last row; undefined where that row has none. */
  readonly lastEpoch: number | undefined;
  /** The step behind the last row. */
  readonly nextStep: number;
}

/** Finds the first step of each epoch in a file of metrics. */
export async function epochStartsIn(path: string): Promise<EpochStarts> {
  const firstSteps = new Map<number, number>();
  let nextStep = 0;
  let lastEpoch: number | undefined;
  for await (const { row } of rowsIn(path)) {
    const { step, epoch } = row ?? {};
    if (!isCount(step)) continue;
    const own = isCount(epoch) ? epoch : undefined;
    if (step >= nextStep) lastEpoch = own;
    nextStep = Math.max(nextStep, step + 1);
    if (own !== undefined) firstSteps.set(own, Math.min(step, firstSteps.get(own) ?? step));
  }
  return { firstSteps, lastEpoch, nextStep };
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
    isFinished: isLast(checkpoint),
  };
}

/** Tells whether nothing is left to train behind a checkpoint. The cookbook tells the last one by its name alone. */
function isLast({ final, name }: CheckpointRecord): boolean {
  return final === true || name === "final";
}

/**
 * Number of steps in a checkpoint. Our recipes write it; supervised loops of the cookbook write the epoch, and the batch within it, so that the
 * name of the checkpoint has to tell the step, or the metrics how many steps the epochs before it had.
 */
function stepsOf(checkpoint: CheckpointRecord, starts: EpochStarts, directory: string): number {
  const { batch, epoch, steps, name } = checkpoint;
  if (isCount(steps)) return steps;
  const place = `${directory}: batch of checkpoint ${describeValue(name)}`;
  if (!isCount(batch)) {
    throw new ValidationError(
      `${place} must be a whole number from 0, got ${describeValue(batch)}; choose another directory`,
    );
  }
  if (epoch === undefined || epoch === 0) return batch;
  if (isCount(epoch)) {
    if (STEP_NAME.test(name) && Number(name) >= batch) return Number(name);
    const start = isLast(checkpoint) ? starts.nextStep : epochStart(epoch, batch, starts);
    if (start > 0) return start + batch;
  }
  throw new ValidationError(
    `${place} is counted within epoch ${describeValue(epoch)}, and neither its name nor a row of metrics tells where that begins; choose another directory`,
  );
}

/** Finds the step at which a later epoch begins, by its own rows or the end of the one before it; 0 where neither is written. */
function epochStart(epoch: number, batch: number, { firstSteps, lastEpoch, nextStep }: EpochStarts): number {
  const known = firstSteps.get(epoch);
  if (known !== undefined) return known;
  // No batch of this epoch can be in the checkpoint if the rows end with the epoch before.
  return batch === 0 && lastEpoch === epoch - 1 ? nextStep : 0;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
