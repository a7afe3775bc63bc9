import type { ApiFuture, NamedSamplerWeights, TrainingClient } from "@tinkex/client";
import type { SaveWeightsResponse } from "@tinkex/types";
import type { SavedCheckpoint } from "./recipe-event.js";

/** Seconds for which the service keeps the checkpoints on the way: a week. The last one stays. */
export const CHECKPOINT_TTL_SECONDS = 604_800;

/** Times and lives of checkpoints. */
export interface CheckpointPlan {
  readonly totalSteps: number;
  /** Steps between two checkpoints; 0 saves the last one alone. */
  readonly saveEvery: number;
  readonly ttlSeconds: number;
  readonly signal: AbortSignal | undefined;
}

/** Saves that were submitted; await them where their results are wanted. */
export interface PendingCheckpoint {
  readonly name: string;
  readonly batch: number;
  readonly isFinal: boolean;
  readonly state: ApiFuture<SaveWeightsResponse>;
  readonly sampler: ApiFuture<NamedSamplerWeights>;
}

/**
 * Submits the saves that are due once `batch` steps are submitted. Call it right behind the step, before the next batch: calls of a client
 * run in their order, so that the checkpoint holds these steps and no other.
 */
export function submitCheckpoint(
  training: TrainingClient,
  batch: number,
  plan: CheckpointPlan,
): PendingCheckpoint | undefined {
  const { totalSteps, saveEvery, ttlSeconds, signal } = plan;
  const isFinal = batch === totalSteps;
  if (!isFinal && (saveEvery === 0 || batch % saveEvery !== 0)) return undefined;
  const name = isFinal ? "final" : String(batch).padStart(6, "0");
  const options = { signal, ...(!isFinal && { ttl_seconds: ttlSeconds }) };
  const state = training.saveState(name, options);
  return { name, batch, isFinal, state, sampler: training.saveWeightsForSampler(name, options) };
}

/** Waits for saves. */
export async function savedCheckpoint(pending: PendingCheckpoint): Promise<SavedCheckpoint> {
  const { name, batch, isFinal } = pending;
  const [state, sampler] = await Promise.all([pending.state, pending.sampler]);
  return { name, batch, isFinal, statePath: state.path, samplerPath: sampler.path };
}
