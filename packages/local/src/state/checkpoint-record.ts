import type { AdapterShape } from "../engine/engine.js";

/** The part of a `tinker://` path that says which of the two kinds a checkpoint is. */
export type CheckpointKind = "weights" | "sampler_weights";

export const CHECKPOINT_KINDS: readonly CheckpointKind[] = ["weights", "sampler_weights"];

/** A training run as `run.json` keeps it. */
export interface RunRecord {
  readonly training_run_id: string;
  readonly session_id: string;
  readonly base_model: string;
  readonly shape: AdapterShape;
  readonly user_metadata?: Readonly<Record<string, string>>;
  /** RFC 3339, UTC. */
  readonly created_at: string;
}

/** A checkpoint as `checkpoint.json` keeps it, beside the adapter's own files. */
export interface CheckpointRecord {
  readonly training_run_id: string;
  readonly kind: CheckpointKind;
  readonly name: string;
  readonly base_model: string;
  readonly shape: AdapterShape;
  readonly size_bytes: number;
  readonly has_optimizer: boolean;
  readonly user_metadata?: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly expires_at?: string;
}

/** `tinker://<run>/<kind>/<name>` */
export function checkpointUri(
  checkpoint: Pick<CheckpointRecord, "training_run_id" | "kind" | "name">,
): string {
  return `tinker://${checkpoint.training_run_id}/${checkpoint.kind}/${checkpoint.name}`;
}
