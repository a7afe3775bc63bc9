import * as z from "zod";
import { requestBody, sequenceId, userMetadata, wideInteger } from "./request-body.js";

const loraConfig = requestBody({
  rank: z.number(),
  seed: wideInteger.optional(),
  train_attn: z.boolean().default(true),
  train_mlp: z.boolean().default(true),
  train_unembed: z.boolean().default(true),
});

const optimizerConfig = requestBody({ type: z.string().default("adamw") });

/** Body of `create_model`. */
export const createModelBody = requestBody({
  session_id: z.string(),
  model_seq_id: sequenceId,
  base_model: z.string(),
  lora_config: loraConfig.optional(),
  optimizer_config: optimizerConfig.optional(),
  user_metadata: userMetadata.optional(),
});

/** Body of `get_info` and `unload_model`. */
export const modelBody = requestBody({ model_id: z.string() });

/** Body of `optim_step`. */
export const optimStepBody = requestBody({
  model_id: z.string(),
  seq_id: sequenceId.optional(),
  adam_params: requestBody({
    learning_rate: z.number().optional(),
    beta1: z.number().optional(),
    beta2: z.number().optional(),
    eps: z.number().optional(),
    weight_decay: z.number().optional(),
    grad_clip_norm: z.number().optional(),
  }).optional(),
  optimizer_params: requestBody({ type: z.string() }).optional(),
});

/** Body of `load_weights` in both forms: into a model that exists (`model_id`), or creating one (`session_id`). */
export const loadWeightsBody = requestBody({
  path: z.string(),
  optimizer: z.boolean().optional(),
  model_id: z.string().optional(),
  seq_id: sequenceId.optional(),
  session_id: z.string().optional(),
  model_seq_id: sequenceId.optional(),
  base_model: z.string().optional(),
  optimizer_config: optimizerConfig.optional(),
  user_metadata: userMetadata.optional(),
});

/** Body of `save_weights`. */
export const saveWeightsBody = requestBody({
  model_id: z.string(),
  seq_id: sequenceId.optional(),
  path: z.string(),
  ttl_seconds: z.number().optional(),
  overwrite: z.boolean().default(false),
  user_metadata: userMetadata.optional(),
});

/** Body of `save_weights_for_sampler`: with a `path` it makes a checkpoint, else a sampling session. */
export const saveWeightsForSamplerBody = requestBody({
  model_id: z.string(),
  seq_id: sequenceId.optional(),
  path: z.string().optional(),
  sampling_session_seq_id: sequenceId.optional(),
  kind: z.string().default("snapshot"),
  ttl_seconds: z.number().optional(),
  user_metadata: userMetadata.optional(),
});

export type CreateModelBody = z.infer<typeof createModelBody>;
export type OptimStepBody = z.infer<typeof optimStepBody>;
export type LoadWeightsBody = z.infer<typeof loadWeightsBody>;
export type SaveWeightsBody = z.infer<typeof saveWeightsBody>;
export type SaveWeightsForSamplerBody = z.infer<typeof saveWeightsForSamplerBody>;
