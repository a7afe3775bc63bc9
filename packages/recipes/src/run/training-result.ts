import { ValidationError } from "@tinkex/base";
import type { SamplingClient } from "@tinkex/client";
import type { ResumePoint } from "@tinkex/runs";
import type { Metrics, SavedCheckpoint } from "./recipe-event.js";
import type { RecipeLog } from "./recipe-log.js";
import type { RecipeOptions } from "./recipe-options.js";

/** The end of a recipe that trains. */
export interface TrainingResult {
  /** The last checkpoint, which the service keeps. */
  readonly checkpoint: SavedCheckpoint;
  /** Samples from it. */
  readonly sampler: SamplingClient;
  /** Metrics of the last step. */
  readonly metrics: Metrics;
  /** Steps of the whole run. */
  readonly steps: number;
}

/**
 * Ends a run: makes a sampling client of its last checkpoint. Callers whose folder closes at the end of their block await it there: a
 * failure that comes while the folder closes would be nobody's, and end the process.
 */
export async function trainingResult(
  { service, signal }: RecipeOptions,
  log: RecipeLog,
  checkpoint: SavedCheckpoint,
): Promise<TrainingResult> {
  const sampler = await service.createSamplingClient({ model_path: checkpoint.samplerPath }, { signal });
  const metrics = await log.lastMetrics();
  log.done(checkpoint.batch, metrics);
  return { checkpoint, sampler, metrics, steps: checkpoint.batch };
}

/** The checkpoint at which a run had stopped. @throws ValidationError when it has no weights to sample from */
export function stoppedAt({ checkpoint, statePath, batch, isFinished }: ResumePoint): SavedCheckpoint {
  const { name, sampler_path: samplerPath } = checkpoint;
  if (samplerPath === undefined) {
    throw new ValidationError(
      `checkpoint ${JSON.stringify(name)} of the run has no sampler_path to sample from`,
    );
  }
  return { name, batch, statePath, samplerPath, isFinal: isFinished };
}
