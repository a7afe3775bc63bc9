import { ValidationError } from "@tinkex/base";
import type { ResumePoint } from "@tinkex/runs";
import type { SavedCheckpoint } from "./recipe-event.js";

/** The checkpoint at which a run had stopped. @throws ValidationError when it has no weights to sample from */
export function finishedCheckpoint({
  checkpoint,
  statePath,
  batch,
  isFinished,
}: ResumePoint): SavedCheckpoint {
  const { name, sampler_path: samplerPath } = checkpoint;
  if (samplerPath === undefined) {
    throw new ValidationError(
      `checkpoint ${JSON.stringify(name)} of the run has no sampler_path to sample from`,
    );
  }
  return { name, batch, statePath, samplerPath, isFinal: isFinished };
}
