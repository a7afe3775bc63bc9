import * as z from "zod";
import { type JsonObject, jsonObjectSchema } from "../../schema/json-value.js";
import { receivedType, sentType } from "../../schema/names.js";
import { countSchema } from "../../schema/numbers.js";
import { receivedObject, sentObject, withDefault } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { type LoraConfig, loraConfigSchema } from "./lora-config.js";
import {
  type OptimizerConfig,
  optimizerConfigSchema,
  receivedOptimizerConfigSchema,
} from "./optimizer-config.js";

/** A new model to train: a base model with a fresh adapter. */
export interface CreateModelRequest {
  readonly session_id: string;
  /** The session's own count of models, from 0. */
  readonly model_seq_id: number;
  /** E.g. `Qwen/Qwen3-8B`. */
  readonly base_model: string;
  /** Free; strings as values can be read back from the training run. */
  readonly user_metadata?: JsonObject | undefined;
  readonly lora_config?: LoraConfig | undefined;
  /** Since 0.38. @defaultValue Adam */
  readonly optimizer_config?: OptimizerConfig | undefined;
  readonly type?: "create_model" | undefined;
}

/** The result of creating a model. */
export interface CreateModelResponse {
  /** Names the model in every training request. */
  readonly model_id: string;
  readonly type?: string;
}

/** Asks what a model is. */
export interface GetInfoRequest {
  readonly model_id: string;
  readonly type?: "get_info" | undefined;
}

/** Parts of a model. */
export interface ModelData {
  readonly arch?: string;
  readonly model_name?: string;
  /** Hugging Face name of the tokenizer; a revision behind a colon is cut off. */
  readonly tokenizer_id?: string;
}

/** Description of a model: its base, its adapter and its optimizer. */
export interface GetInfoResponse {
  readonly type?: string;
  readonly model_data: ModelData;
  readonly model_id: string;
  readonly is_lora?: boolean;
  readonly lora_rank?: number;
  readonly model_name?: string;
  /** Adam where the server does not say. */
  readonly optimizer_config: OptimizerConfig;
}

/** Frees a model before its session ends. SDKs up to 0.25 only. */
export interface UnloadModelRequest {
  readonly model_id: string;
  readonly type?: "unload_model" | undefined;
}

/** The result of unloading a model. */
export interface UnloadModelResponse {
  readonly model_id: string;
  readonly type?: string;
}

export const createModelRequestSchema: RecordSchema<CreateModelRequest> = sentObject(() => ({
  session_id: z.string().min(1),
  model_seq_id: countSchema,
  base_model: z.string().min(1),
  user_metadata: zodOf(jsonObjectSchema).optional(),
  lora_config: zodOf(loraConfigSchema).optional(),
  optimizer_config: withDefault(zodOf(optimizerConfigSchema), { type: "adamw" }),
  type: sentType("create_model"),
}));

export const createModelResponseSchema: RecordSchema<CreateModelResponse> = receivedObject(() => ({
  model_id: z.string(),
  type: receivedType(),
}));

export const getInfoRequestSchema: RecordSchema<GetInfoRequest> = sentObject(() => ({
  model_id: z.string().min(1),
  type: sentType("get_info"),
}));

export const modelDataSchema: RecordSchema<ModelData> = receivedObject(() => ({
  arch: z.string().exactOptional(),
  model_name: z.string().exactOptional(),
  tokenizer_id: z
    .string()
    .transform((id) => id.replace(/:.*$/s, ""))
    .exactOptional(),
}));

export const getInfoResponseSchema: RecordSchema<GetInfoResponse> = receivedObject(() => ({
  type: receivedType(),
  model_data: zodOf(modelDataSchema),
  model_id: z.string(),
  is_lora: z.boolean().exactOptional(),
  lora_rank: z.int().exactOptional(),
  model_name: z.string().exactOptional(),
  optimizer_config: zodOf(receivedOptimizerConfigSchema),
}));

export const unloadModelRequestSchema: RecordSchema<UnloadModelRequest> = sentObject(() => ({
  model_id: z.string().min(1),
  type: sentType("unload_model"),
}));

export const unloadModelResponseSchema: RecordSchema<UnloadModelResponse> = receivedObject(() => ({
  model_id: z.string(),
  type: receivedType(),
}));
