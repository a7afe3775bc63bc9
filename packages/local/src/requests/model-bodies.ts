import { LoraConfig } from "@tinkex/types";
import * as z from "zod";
import { recordBody } from "./record-body.js";
import { sequenceId, userMetadata } from "./request-body.js";

const { train_attn, train_mlp, train_unembed } = LoraConfig.defaults;

/** Longest life of a checkpoint, 100 years: dates end somewhere. */
export const MAX_TTL_SECONDS = 3_153_600_000;

/** A rank that cannot be, and parts of which none is trained, fail the creation of the model. */
const loraConfig = recordBody("LoraConfig")(["seed"], {
  rank: z.number(),
  train_attn: z.boolean().default(train_attn),
  train_mlp: z.boolean().default(train_mlp),
  train_unembed: z.boolean().default(train_unembed),
});

const optimizerConfig = recordBody("OptimizerConfig")([], { type: z.string().default("adamw") });

/** Body of `create_model`. */
export const createModelBody = recordBody("CreateModelRequest")(
  ["session_id", "model_seq_id", "base_model"],
  {
    lora_config: loraConfig.optional(),
    optimizer_config: optimizerConfig.optional(),
    user_metadata: userMetadata.optional(),
  },
);

/** Body of `get_info`. */
export const getInfoBody = recordBody("GetInfoRequest")(["model_id"], {});

/** Body of `unload_model`. */
export const unloadModelBody = recordBody("UnloadModelRequest")(["model_id"], {});

const adamParams = recordBody("AdamParams")(
  ["learning_rate", "beta1", "beta2", "eps", "weight_decay", "grad_clip_norm"],
  {},
);

/** Body of `optim_step`. A step without a number comes behind all that arrived before it. */
export const optimStepBody = recordBody("OptimStepRequest")(["model_id"], {
  seq_id: sequenceId.optional(),
  adam_params: adamParams.optional(),
  optimizer_params: recordBody("OptimizerParams")([], { type: z.string() }).optional(),
});

/**
 * Body of `load_weights` in both forms: into a model that exists (`model_id`), or creating one (`session_id`). A path that is none
 * fails the load.
 */
export const loadWeightsBody = recordBody("LoadWeightsRequest")(
  ["model_id", "seq_id", "session_id", "model_seq_id", "base_model", "optimizer"],
  {
    path: z.string(),
    optimizer_config: optimizerConfig.optional(),
    user_metadata: userMetadata.optional(),
  },
);

/** Body of `save_weights`. This server numbers no checkpoints, so that a name must be given. */
export const saveWeightsBody = recordBody("SaveWeightsRequest")(["model_id", "seq_id"], {
  path: z.string(),
  ttl_seconds: z.number().optional(),
  overwrite: z.boolean().default(false),
  user_metadata: userMetadata.optional(),
});

/** Body of `save_weights_for_sampler`: with a `path` it makes a checkpoint, else a sampling session. */
export const saveWeightsForSamplerBody = recordBody("SaveWeightsForSamplerRequest")(
  ["model_id", "seq_id", "sampling_session_seq_id"],
  {
    path: z.string().optional(),
    kind: z.string().default("snapshot"),
    ttl_seconds: z.number().optional(),
    user_metadata: userMetadata.optional(),
  },
);

/** Body of `save_weights_external`. A wish for encryption fails the export: nothing is to be written in clear instead. */
export const saveWeightsExternalBody = recordBody("SaveWeightsExternalRequest")(["model_id", "seq_id"], {
  path: z.string(),
  ttl_seconds: z.number().optional(),
  age_encryption_recipients: z.array(z.string()).default([]),
});

/** Body of `copy_weights`. Whoever can ask may read all there is, so that a token for others' weights is not looked at. */
export const copyWeightsBody = recordBody("CopyWeightsRequest")(["destination_project_id"], {
  source_path: z.string(),
  ttl_seconds: z.number().int().positive().max(MAX_TTL_SECONDS).optional(),
});

export type CopyWeightsBody = z.infer<typeof copyWeightsBody>;
export type CreateModelBody = z.infer<typeof createModelBody>;
export type OptimStepBody = z.infer<typeof optimStepBody>;
export type LoadWeightsBody = z.infer<typeof loadWeightsBody>;
export type SaveWeightsBody = z.infer<typeof saveWeightsBody>;
export type SaveWeightsExternalBody = z.infer<typeof saveWeightsExternalBody>;
export type SaveWeightsForSamplerBody = z.infer<typeof saveWeightsForSamplerBody>;
