import { ValidationError } from "@tinkex/base";
import { z } from "zod";
import { listOf } from "../json/bounded-collections.js";
import { checkJson, type NamedJson } from "../json/parse-json.js";
import { shortened } from "../json/shortened.js";
import type { ModelConfig } from "./model-config.js";
import { readRope, ropeFields } from "./read-rope.js";

/** Differences between the three architectures; all else is in the configuration's numbers. */
const architectures = {
  llama: { attentionBias: false, queryKeyNorm: false },
  qwen2: { attentionBias: true, queryKeyNorm: false },
  qwen3: { attentionBias: false, queryKeyNorm: true },
} as const;
/** Size of a head where a Qwen3 configuration names none, whatever its other sizes; others divide the width among the heads. */
const QWEN3_HEAD_SIZE = 128;

/** A size as a configuration gives it; above the largest that any published model comes near, it is a mistake or a trap. */
const size = (largest: number) => z.number().int().positive().max(largest);
const MAX_END_TOKENS = 1024;
const tokenIds = z
  .union([z.number().int(), listOf(z.number().int(), MAX_END_TOKENS)])
  .nullish()
  .transform((ids) => (ids === null || ids === undefined ? [] : [ids].flat()));

const configSchema = z.object({
  model_type: z.string(),
  vocab_size: size(2 ** 22),
  hidden_size: size(2 ** 16),
  intermediate_size: size(2 ** 20),
  num_hidden_layers: size(1024),
  num_attention_heads: size(4096),
  num_key_value_heads: size(4096).nullish(),
  head_dim: size(2 ** 14).nullish(),
  max_position_embeddings: size(2 ** 20),
  rms_norm_eps: z.number().positive(),
  hidden_act: z.string().default("silu"),
  tie_word_embeddings: z.boolean().default(false),
  attention_bias: z.boolean().nullish(),
  mlp_bias: z.boolean().nullish(),
  use_sliding_window: z.boolean().nullish(),
  eos_token_id: tokenIds,
  ...ropeFields,
});

type RawConfig = z.infer<typeof configSchema>;

/**
 * Reads the settings of a model: `config.json` (both the old and the new spelling of the rotary settings), and
 * `generation_config.json` where there is one, whose end tokens win where it has any.
 *
 * @throws ValidationError naming the file and the field when this is no model that the engine can run
 */
export function parseModelConfig(config: NamedJson, generation: NamedJson | undefined): ModelConfig {
  const { file } = config;
  const raw = checkJson(config, configSchema);
  const architecture = checkSupported(raw, file);
  const headCount = raw.num_attention_heads;
  const keyValueHeadCount = raw.num_key_value_heads ?? headCount;
  requireMultiple(file, "num_attention_heads", headCount, "num_key_value_heads", keyValueHeadCount);
  const namedHeadSize = raw.head_dim ?? (architecture === "qwen3" ? QWEN3_HEAD_SIZE : undefined);
  if (namedHeadSize === undefined)
    requireMultiple(file, "hidden_size", raw.hidden_size, "num_attention_heads", headCount);
  const headSize = namedHeadSize ?? raw.hidden_size / headCount;
  if (headSize % 2 !== 0) {
    throw new ValidationError(
      `${file}: the size of a head must be even, got ${headSize}: rotary embedding turns its numbers in pairs`,
    );
  }
  return {
    architecture,
    vocabularySize: raw.vocab_size,
    hiddenSize: raw.hidden_size,
    intermediateSize: raw.intermediate_size,
    layerCount: raw.num_hidden_layers,
    headCount,
    keyValueHeadCount,
    headSize,
    ...readRope(raw, file),
    rmsNormEpsilon: raw.rms_norm_eps,
    tiedEmbeddings: raw.tie_word_embeddings,
    contextLength: raw.max_position_embeddings,
    ...architectures[architecture],
    endTokenIds: readEndTokenIds(generation, raw.eos_token_id),
  };
}

function checkSupported(raw: RawConfig, file: string): keyof typeof architectures {
  const { model_type } = raw;
  if (!isSupported(model_type)) {
    throw new ValidationError(
      `${file}: model_type "${shortened(model_type)}" is not supported; this engine runs ${Object.keys(architectures).join(", ")}`,
    );
  }
  const unsupported = [
    raw.hidden_act !== "silu" && `hidden_act "${shortened(raw.hidden_act)}" (only "silu")`,
    raw.mlp_bias && "mlp_bias",
    raw.attention_bias && model_type !== "qwen2" && `attention_bias of a ${model_type} model`,
    raw.use_sliding_window && "use_sliding_window",
  ].filter((fault) => typeof fault === "string");
  if (unsupported.length > 0) {
    throw new ValidationError(`${file} asks for what this engine does not have: ${unsupported.join(", ")}`);
  }
  return model_type;
}

function isSupported(modelType: string): modelType is keyof typeof architectures {
  return Object.hasOwn(architectures, modelType);
}

function requireMultiple(
  file: string,
  whole: string,
  wholeSize: number,
  part: string,
  partSize: number,
): void {
  if (wholeSize % partSize === 0) return;
  throw new ValidationError(`${file}: ${whole} must be a multiple of ${part} ${partSize}, got ${wholeSize}`);
}

function readEndTokenIds(generation: NamedJson | undefined, ofConfig: readonly number[]): readonly number[] {
  if (generation === undefined) return ofConfig;
  const { eos_token_id } = checkJson(generation, z.object({ eos_token_id: tokenIds }));
  return eos_token_id.length > 0 ? eos_token_id : ofConfig;
}
