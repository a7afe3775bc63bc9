import type { Checkpoint, CheckpointType, TrainingRun } from "@tinkex/types";
import {
  type CheckpointKind,
  type CheckpointRecord,
  checkpointUri,
  type RunRecord,
} from "../disk/checkpoint-record.js";
import type { ServerState } from "../registries/server-state.js";

const CHECKPOINT_TYPES = {
  weights: "training",
  sampler_weights: "sampler",
  external_weights: "external",
} as const satisfies Readonly<Record<CheckpointKind, CheckpointType>>;

/** Shows a checkpoint as the API does. */
export function checkpointView(checkpoint: CheckpointRecord): Checkpoint {
  const { kind, name, created_at, size_bytes, user_metadata, expires_at, is_public = false } = checkpoint;
  return {
    checkpoint_id: `${kind}/${name}`,
    checkpoint_type: CHECKPOINT_TYPES[kind],
    time: created_at,
    tinker_path: checkpointUri(checkpoint),
    size_bytes,
    public: is_public,
    ...(user_metadata === undefined ? {} : { user_metadata }),
    ...(expires_at === undefined ? {} : { expires_at }),
  };
}

/** Shows a training run as the API does, with the newest checkpoint of each kind. */
export async function runView(state: ServerState, run: RunRecord): Promise<TrainingRun> {
  const checkpoints = await state.checkpoints.list(run.training_run_id);
  const training = checkpoints.find(({ kind }) => kind === "weights");
  const sampler = checkpoints.find(({ kind }) => kind === "sampler_weights");
  const lastRequestAtMs = state.models.get(run.training_run_id)?.lastRequestAtMs;
  return {
    training_run_id: run.training_run_id,
    base_model: run.base_model,
    model_owner: "local",
    is_lora: true,
    corrupted: false,
    lora_rank: run.shape.rank,
    // After a restart the newest file is the last sign of life.
    last_request_time:
      lastRequestAtMs === undefined
        ? (checkpoints[0]?.created_at ?? run.created_at)
        : new Date(lastRequestAtMs).toISOString(),
    ...(training === undefined ? {} : { last_checkpoint: checkpointView(training) }),
    ...(sampler === undefined ? {} : { last_sampler_checkpoint: checkpointView(sampler) }),
    ...(run.user_metadata === undefined ? {} : { user_metadata: run.user_metadata }),
  };
}
