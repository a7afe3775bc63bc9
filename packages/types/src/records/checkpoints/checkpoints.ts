import * as z from "zod";
import { type Open, openName } from "../../schema/names.js";
import { receivedObject, sentObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { type Timestamp, timestampSchema } from "../data/timestamp.js";
import type { CheckpointType } from "./checkpoint-path.js";
import type { CheckpointMetadata } from "./weights.js";

/** Saved weights. */
export interface Checkpoint {
  /** Folder and name, e.g. `weights/0001`. */
  readonly checkpoint_id: string;
  readonly checkpoint_type: Open<CheckpointType>;
  readonly time: Timestamp;
  readonly tinker_path: string;
  readonly size_bytes?: number;
  /** True if everybody may read it. */
  readonly public: boolean;
  /** Since 0.38. */
  readonly user_metadata?: CheckpointMetadata;
  /** Absent: never. Since 0.9. */
  readonly expires_at?: Timestamp;
}

/** Part of a list that this page is. There is more when `offset + limit < total_count`. */
export interface Cursor {
  readonly offset: number;
  readonly limit: number;
  readonly total_count: number;
}

/** Checkpoints of a training run or of the caller. */
export interface CheckpointsListResponse {
  readonly checkpoints: readonly Checkpoint[];
  /** Absent: this is all. */
  readonly cursor?: Cursor;
}

/** Address of a checkpoint's archive. SDKs up to 0.25; later ones export instead. */
export interface CheckpointArchiveUrlResponse {
  readonly url: string;
  readonly expires: Timestamp;
}

/** Sets or, with null, clears the time after which a checkpoint is deleted. */
export interface SetCheckpointTtlRequest {
  readonly ttl_seconds: number | null;
}

export const checkpointSchema: RecordSchema<Checkpoint> = receivedObject(() => ({
  checkpoint_id: z.string(),
  checkpoint_type: openName(["training", "sampler", "external"]),
  time: timestampSchema,
  tinker_path: z.string(),
  size_bytes: z.int().exactOptional(),
  public: z.boolean().default(false),
  user_metadata: z.record(z.string(), z.string()).exactOptional(),
  expires_at: timestampSchema.exactOptional(),
}));

export const cursorSchema: RecordSchema<Cursor> = receivedObject(() => ({
  offset: z.int(),
  limit: z.int(),
  total_count: z.int(),
}));

export const checkpointsListResponseSchema: RecordSchema<CheckpointsListResponse> = receivedObject(() => ({
  checkpoints: z.array(zodOf(checkpointSchema)),
  cursor: zodOf(cursorSchema).exactOptional(),
}));

export const checkpointArchiveUrlResponseSchema: RecordSchema<CheckpointArchiveUrlResponse> = receivedObject(
  () => ({
    url: z.string(),
    expires: timestampSchema,
  }),
);

export const setCheckpointTtlRequestSchema: RecordSchema<SetCheckpointTtlRequest> = sentObject(() => ({
  ttl_seconds: z.int().positive().nullable(),
}));
