import { errorMessage, RequestFailedError, TinkexError, ValidationError } from "@tinkex/base";
import type { ServiceClient, TrainingClient } from "@tinkex/client";
import type { ResumePoint } from "@tinkex/runs";

/** Start of every path of a checkpoint. */
const CHECKPOINT_SCHEME = "tinker://";

/** The model that a recipe trains. */
export interface ModelChoice {
  readonly service: ServiceClient;
  /** A base model, or the path of a checkpoint, whose weights are loaded without its optimizer. */
  readonly model: string;
  readonly rank: number;
  readonly seed: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Tells whether a model is given by the path of a checkpoint. */
export function isCheckpointPath(model: string): boolean {
  return model.startsWith(CHECKPOINT_SCHEME);
}

/**
 * Makes the training client of a run. A run that goes on is loaded with its optimizer; a checkpoint of another run without, since moments of
 * another loss would lead every step astray.
 */
export async function openTraining(
  choice: ModelChoice,
  resume: ResumePoint | undefined,
): Promise<TrainingClient> {
  const { service, model, rank, seed, signal } = choice;
  if (resume !== undefined) {
    const training = await loadState(service, resume, signal);
    await checkTakenOver(training, model, resume);
    return training;
  }
  if (isCheckpointPath(model)) return service.createTrainingClientFromState(model, { signal });
  return service.createLoraTrainingClient(
    { base_model: model, rank, ...(seed !== undefined && { seed }) },
    { signal },
  );
}

async function loadState(
  service: ServiceClient,
  resume: ResumePoint,
  signal: AbortSignal | undefined,
): Promise<TrainingClient> {
  try {
    return await service.createTrainingClientFromStateWithOptimizer(resume.statePath, { signal });
  } catch (error) {
    throw isGone(error) ? checkpointGone(resume, error) : error;
  }
}

/**
 * Checks that a run that was taken over trains the model that was asked for: it is guarded by no configuration of ours. Checkpoints of our
 * recipes, which tell their steps, are; a service may know their model by another name than they were begun with.
 *
 * @throws ValidationError
 */
async function checkTakenOver(training: TrainingClient, model: string, resume: ResumePoint): Promise<void> {
  const { checkpoint, statePath } = resume;
  if (checkpoint.steps !== undefined || isCheckpointPath(model)) return;
  const found = await baseModelOf(training, statePath);
  if (found === statePath || found.toLowerCase() === model.toLowerCase()) return;
  throw new ValidationError(
    `the run goes on from its checkpoint ${checkpoint.name}, ${statePath}, which is of the model ${found}, and model is ${model}; choose another directory`,
  );
}

/** Tells whether a checkpoint could not be loaded for its own sake. A service says so at once, or fails the load as asked for wrongly. */
function isGone(error: unknown): boolean {
  if (error instanceof RequestFailedError) return error.category === "user";
  return error instanceof TinkexError && (error.code === "not_found" || error.code === "gone");
}

/** Checkpoints on the way are kept for a time alone, so that a run may be taken up too late. */
function checkpointGone({ statePath, checkpoint }: ResumePoint, cause: unknown): ValidationError {
  return new ValidationError(
    `the run goes on from its checkpoint ${checkpoint.name}, ${statePath}, which cannot be loaded (${errorMessage(cause)}): ` +
      "take its line out of checkpoints.jsonl to go on from the one before, or begin anew in another folder; " +
      "a local server that was started anew finds it in the data directory of before (tinkex serve --data DIRECTORY)",
    { cause },
  );
}

/** Name of the base model that a client trains. */
export async function baseModelOf(training: TrainingClient, model: string): Promise<string> {
  if (!isCheckpointPath(model)) return model;
  const { model_name, model_data } = await training.getInfo();
  return model_name ?? model_data.model_name ?? model;
}
