import * as z from "zod";
import { receivedObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { type Timestamp, timestampSchema } from "../data/timestamp.js";
import { type Checkpoint, type Cursor, checkpointSchema, cursorSchema } from "./checkpoints.js";

/** A model and what was saved of it. */
export interface TrainingRun {
  readonly training_run_id: string;
  readonly base_model: string;
  readonly model_owner: string;
  readonly is_lora: boolean;
  /** True if its state was lost. */
  readonly corrupted: boolean;
  readonly lora_rank?: number;
  readonly last_request_time: Timestamp;
  readonly last_checkpoint?: Checkpoint;
  readonly last_sampler_checkpoint?: Checkpoint;
  readonly user_metadata?: Readonly<Record<string, string>>;
}

/** One page of training runs. */
export interface TrainingRunsResponse {
  readonly training_runs: readonly TrainingRun[];
  readonly cursor: Cursor;
}

export const trainingRunSchema: RecordSchema<TrainingRun> = receivedObject(() => ({
  training_run_id: z.string(),
  base_model: z.string(),
  model_owner: z.string(),
  is_lora: z.boolean(),
  corrupted: z.boolean().default(false),
  lora_rank: z.int().exactOptional(),
  last_request_time: timestampSchema,
  last_checkpoint: zodOf(checkpointSchema).exactOptional(),
  last_sampler_checkpoint: zodOf(checkpointSchema).exactOptional(),
  user_metadata: z.record(z.string(), z.string()).exactOptional(),
}));

export const trainingRunsResponseSchema: RecordSchema<TrainingRunsResponse> = receivedObject(() => ({
  training_runs: z.array(zodOf(trainingRunSchema)),
  cursor: zodOf(cursorSchema),
}));
