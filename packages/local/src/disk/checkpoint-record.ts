import type { CheckpointFolder } from "@tinkex/types";
import * as z from "zod";

/** Kinds of checkpoints, as `tinker://` paths name them: to train on from, to sample from, and to take elsewhere. */
export const CHECKPOINT_KINDS = [
  "weights",
  "sampler_weights",
  "external_weights",
] as const satisfies readonly CheckpointFolder[];

export type CheckpointKind = (typeof CHECKPOINT_KINDS)[number];

/** Kinds that this server can load again. */
export const LOADABLE_KINDS = ["weights", "sampler_weights"] as const satisfies readonly CheckpointKind[];

const adapterShape = z.object({
  rank: z.int().positive(),
  trainAttention: z.boolean(),
  trainMlp: z.boolean(),
  trainUnembedding: z.boolean(),
});
const userMetadata = z.record(z.string(), z.string());
/** RFC 3339. `Date.parse` takes much else for a date: "1" is one of 2001. */
const time = z.iso.datetime({ offset: true });

/** Project of all that is made without naming one. */
export const DEFAULT_PROJECT = "default";

/** A training run as `run.json` keeps it. */
export const runRecordSchema = z.object({
  training_run_id: z.string(),
  /** Absent for a run that was copied, which no session trained. */
  session_id: z.string().optional(),
  /** Absent: the default one. */
  project_id: z.string().optional(),
  base_model: z.string(),
  shape: adapterShape,
  user_metadata: userMetadata.optional(),
  created_at: time,
});

/** A checkpoint as `checkpoint.json` keeps it, beside the adapter's own files. */
export const checkpointRecordSchema = z.object({
  training_run_id: z.string(),
  kind: z.enum(CHECKPOINT_KINDS),
  name: z.string(),
  base_model: z.string(),
  shape: adapterShape,
  size_bytes: z.number().nonnegative(),
  has_optimizer: z.boolean(),
  user_metadata: userMetadata.optional(),
  /** Anybody may read it, where there are several users. */
  is_public: z.boolean().optional(),
  created_at: time,
  // A checkpoint is not given up for a date that cannot be read: it then has no expiry.
  expires_at: time.optional().catch(undefined),
});

export type RunRecord = Readonly<z.infer<typeof runRecordSchema>>;
export type CheckpointRecord = Readonly<z.infer<typeof checkpointRecordSchema>>;

/** Gives the project of a run. */
export function projectOf({ project_id: project = DEFAULT_PROJECT }: RunRecord): string {
  return project;
}

/** Names a checkpoint, and its folder: `runs/<run>/<kind>/<name>`. */
export type CheckpointPlace = Pick<CheckpointRecord, "training_run_id" | "kind" | "name">;

/** `tinker://<run>/<kind>/<name>` */
export function checkpointUri({ training_run_id: runId, kind, name }: CheckpointPlace): string {
  return `tinker://${runId}/${kind}/${name}`;
}
