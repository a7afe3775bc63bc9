import * as z from "zod";
import { type JsonObject, jsonObjectSchema } from "../../schema/json-value.js";
import { closedName, receivedType, sentType } from "../../schema/names.js";
import { countSchema } from "../../schema/numbers.js";
import { receivedObject, sentObject, withDefault } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import {
  type OptimizerConfig,
  optimizerConfigSchema,
  receivedOptimizerConfigSchema,
} from "../training/optimizer-config.js";

/** Metadata of a checkpoint: strings by name. */
export type CheckpointMetadata = Readonly<Record<string, string>>;

/** Saves weights and optimizer state, to go on training from. */
export interface SaveWeightsRequest {
  readonly model_id: string;
  /** A name, not a `tinker://` path; absent: the server numbers it. */
  readonly path?: string | undefined;
  readonly seq_id?: number | undefined;
  /** Seconds until it is deleted, 3 600 to ten years; absent: never. Since 0.9. */
  readonly ttl_seconds?: number | undefined;
  /** Replace a checkpoint of that name. Since 0.20. @defaultValue false */
  readonly overwrite?: boolean | undefined;
  /** Since 0.38. */
  readonly user_metadata?: CheckpointMetadata | undefined;
  readonly type?: "save_weights" | undefined;
}

/** The result of a save to go on training from. */
export interface SaveWeightsResponse {
  /** A `tinker://` path. */
  readonly path: string;
  readonly type?: string;
}

/** `snapshot`: a fixed copy. `inflight`: one target per model that later inflight saves move on. */
export type SamplingClientKind = "snapshot" | "inflight";

/** Saves weights to sample from: under a name (`path`), or unnamed for one sampling session (`sampling_session_seq_id`). */
export interface SaveWeightsForSamplerRequest {
  readonly model_id: string;
  readonly path?: string | undefined;
  /** The session's own count, shared with {@link CreateSamplingSessionRequest}. */
  readonly sampling_session_seq_id?: number | undefined;
  /** Since 0.38. @defaultValue "snapshot" */
  readonly kind?: SamplingClientKind | undefined;
  readonly seq_id?: number | undefined;
  /** As in {@link SaveWeightsRequest}; not for inflight saves. */
  readonly ttl_seconds?: number | undefined;
  /** Since 0.38. */
  readonly user_metadata?: CheckpointMetadata | undefined;
  readonly type?: "save_weights_for_sampler" | undefined;
}

/** The result of a save to sample from: one of the two, by what was asked. */
export interface SaveWeightsForSamplerResponse {
  /** A `tinker://` path, after a named save. */
  readonly path?: string;
  /** After an unnamed save. */
  readonly sampling_session_id?: string;
  readonly type?: string;
}

/**
 * Loads a checkpoint: into a model (`model_id`, `seq_id`), or as a new model of a session (`session_id`, `model_seq_id`; since
 * 0.24), whose id then is `<session_id>:train:<model_seq_id>`.
 */
export interface LoadWeightsRequest {
  readonly model_id?: string | undefined;
  readonly seq_id?: number | undefined;
  readonly session_id?: string | undefined;
  readonly model_seq_id?: number | undefined;
  /** For a new model: a compatible variant in place of the checkpoint's own base. */
  readonly base_model?: string | undefined;
  readonly user_metadata?: JsonObject | undefined;
  /** A `tinker://` path. */
  readonly path: string;
  /** Also restore the optimizer. Since 0.6. @defaultValue false */
  readonly optimizer?: boolean | undefined;
  /** For a new model loaded without optimizer state. Since 0.38. */
  readonly optimizer_config?: OptimizerConfig | undefined;
  /** A secret of the checkpoint's owner. Since 0.18. */
  readonly weights_access_token?: string | undefined;
  readonly type?: "load_weights" | undefined;
}

/** The result of loading a checkpoint. */
export interface LoadWeightsResponse {
  readonly path?: string;
  readonly model_id?: string;
  readonly type?: string;
}

/** Asks what a checkpoint holds. Since 0.6. */
export interface WeightsInfoRequest {
  readonly tinker_path: string;
}

/** Content of a checkpoint. Since 0.6. */
export interface WeightsInfoResponse {
  readonly base_model: string;
  readonly is_lora: boolean;
  readonly lora_rank?: number;
  /** Absent: true. Since 0.8. */
  readonly train_unembed?: boolean;
  readonly train_mlp?: boolean;
  readonly train_attn?: boolean;
  /** Adam where the server does not say. Since 0.38. */
  readonly optimizer_config: OptimizerConfig;
}

/** Exports weights as plain files. Since 0.38. */
export interface SaveWeightsExternalRequest {
  readonly model_id: string;
  readonly path: string;
  readonly seq_id?: number | undefined;
  readonly ttl_seconds?: number | undefined;
  /** age or SSH public keys, at most 10; every file is then encrypted and ends in `.age`. */
  readonly age_encryption_recipients?: readonly string[] | undefined;
  readonly type?: "save_weights_external" | undefined;
}

/** The result of an export. Since 0.38. */
export interface SaveWeightsExternalResponse {
  readonly path: string;
  readonly size_bytes?: number;
  readonly type?: string;
}

/** Addresses of the files of an export. */
export interface ExternalWeightsUrlsResponse {
  /** Signed URL by file path within the checkpoint. */
  readonly urls: Readonly<Record<string, string>>;
  readonly expires: string;
}

/** Copies a checkpoint to a project, or to a model slot of a session. Since 0.38. */
export interface CopyWeightsRequest {
  readonly session_id?: string | undefined;
  readonly model_seq_id?: number | undefined;
  readonly destination_project_id?: string | undefined;
  readonly source_path: string;
  readonly ttl_seconds?: number | undefined;
  readonly weights_access_token?: string | undefined;
}

/** Path of the copy. Since 0.38. */
export interface CopyWeightsResponse {
  readonly tinker_path: string;
}

const modelIdSchema = z.string().min(1);
const seqIdSchema = z.int().nonnegative().optional();
const ttlSchema = z.int().positive().optional();
const metadataSchema: z.ZodType<CheckpointMetadata, CheckpointMetadata> = z.record(z.string(), z.string());
const tinkerPathSchema = z.string().startsWith("tinker://", "must be a tinker:// path");

export const saveWeightsRequestSchema: RecordSchema<SaveWeightsRequest> = sentObject(() => ({
  model_id: modelIdSchema,
  path: z.string().min(1).optional(),
  seq_id: seqIdSchema,
  ttl_seconds: ttlSchema,
  overwrite: withDefault(z.boolean(), false),
  user_metadata: metadataSchema.optional(),
  type: sentType("save_weights"),
}));

export const saveWeightsResponseSchema: RecordSchema<SaveWeightsResponse> = receivedObject(() => ({
  path: z.string(),
  type: receivedType(),
}));

export const saveWeightsForSamplerRequestSchema: RecordSchema<SaveWeightsForSamplerRequest> = sentObject(
  () => ({
    model_id: modelIdSchema,
    path: z.string().min(1).optional(),
    sampling_session_seq_id: countSchema.optional(),
    kind: withDefault(closedName(["snapshot", "inflight"]), "snapshot"),
    seq_id: seqIdSchema,
    ttl_seconds: ttlSchema,
    user_metadata: metadataSchema.optional(),
    type: sentType("save_weights_for_sampler"),
  }),
)
  .refine((save) => (save.path === undefined) !== (save.sampling_session_seq_id === undefined), {
    error: "exactly one of path and sampling_session_seq_id must be given",
  })
  .refine((save) => save.kind !== "inflight" || (save.path === undefined && save.ttl_seconds === undefined), {
    error: "an inflight save has neither path nor ttl_seconds",
  });

export const saveWeightsForSamplerResponseSchema: RecordSchema<SaveWeightsForSamplerResponse> =
  receivedObject(() => ({
    path: z.string().exactOptional(),
    sampling_session_id: z.string().exactOptional(),
    type: receivedType(),
  }));

export const loadWeightsRequestSchema: RecordSchema<LoadWeightsRequest> = sentObject(() => ({
  model_id: modelIdSchema.optional(),
  seq_id: seqIdSchema,
  session_id: z.string().min(1).optional(),
  model_seq_id: countSchema.optional(),
  base_model: z.string().min(1).optional(),
  user_metadata: zodOf(jsonObjectSchema).optional(),
  path: tinkerPathSchema,
  optimizer: withDefault(z.boolean(), false),
  optimizer_config: zodOf(optimizerConfigSchema).optional(),
  weights_access_token: z.string().optional(),
  type: sentType("load_weights"),
})).refine((load) => (load.model_id === undefined) !== (load.session_id === undefined), {
  error: "exactly one of model_id and session_id must be given",
});

export const loadWeightsResponseSchema: RecordSchema<LoadWeightsResponse> = receivedObject(() => ({
  path: z.string().exactOptional(),
  model_id: z.string().exactOptional(),
  type: receivedType(),
}));

export const weightsInfoRequestSchema: RecordSchema<WeightsInfoRequest> = sentObject(() => ({
  tinker_path: tinkerPathSchema,
}));

export const weightsInfoResponseSchema: RecordSchema<WeightsInfoResponse> = receivedObject(() => ({
  base_model: z.string(),
  is_lora: z.boolean(),
  lora_rank: z.int().exactOptional(),
  train_unembed: z.boolean().exactOptional(),
  train_mlp: z.boolean().exactOptional(),
  train_attn: z.boolean().exactOptional(),
  optimizer_config: zodOf(receivedOptimizerConfigSchema),
}));

export const saveWeightsExternalRequestSchema: RecordSchema<SaveWeightsExternalRequest> = sentObject(() => ({
  model_id: modelIdSchema,
  path: z.string().min(1),
  seq_id: seqIdSchema,
  ttl_seconds: ttlSchema,
  age_encryption_recipients: z.array(z.string().min(1)).max(10).optional(),
  type: sentType("save_weights_external"),
}));

export const saveWeightsExternalResponseSchema: RecordSchema<SaveWeightsExternalResponse> = receivedObject(
  () => ({
    path: z.string(),
    size_bytes: z.int().exactOptional(),
    type: receivedType(),
  }),
);

export const externalWeightsUrlsResponseSchema: RecordSchema<ExternalWeightsUrlsResponse> = receivedObject(
  () => ({
    urls: z.record(z.string(), z.string()),
    expires: z.string(),
  }),
);

export const copyWeightsRequestSchema: RecordSchema<CopyWeightsRequest> = sentObject(() => ({
  session_id: z.string().min(1).optional(),
  model_seq_id: countSchema.optional(),
  destination_project_id: z.string().min(1).optional(),
  source_path: tinkerPathSchema,
  ttl_seconds: ttlSchema,
  weights_access_token: z.string().optional(),
}));

export const copyWeightsResponseSchema: RecordSchema<CopyWeightsResponse> = receivedObject(() => ({
  tinker_path: z.string(),
}));
