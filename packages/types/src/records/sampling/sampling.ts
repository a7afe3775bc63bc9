import * as z from "zod";
import { type Open, openName, receivedType, sentType } from "../../schema/names.js";
import { countSchema, int64Schema } from "../../schema/numbers.js";
import { receivedObject, sentObject, withDefault } from "../../schema/objects.js";
import { readFloat32List, readNullableFloat32List, readTopkList } from "../../schema/received-lists.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { type ModelInput, modelInputSchema } from "../data/model-input.js";
import { receivedTensorSchema } from "../data/received-tensor.js";
import { type TensorData, tensorDataSchema } from "../data/tensor-data.js";
import { SAMPLING_PARAM_PLACES } from "./field-places.js";
import { type SamplingParams, samplingParamsSchema } from "./sampling-params.js";

/** Draws samples from a sampling session (with `seq_id`), or from a base model or checkpoint named here. */
export interface SampleRequest {
  /** @defaultValue 1 */
  readonly num_samples?: number | undefined;
  readonly prompt: ModelInput;
  readonly sampling_params: SamplingParams;
  readonly base_model?: string | undefined;
  readonly model_path?: string | undefined;
  readonly sampling_session_id?: string | undefined;
  /** The session's own count of requests, from 0; clones count from multiples of 10⁹. */
  readonly seq_id?: number | bigint | undefined;
  /** Also score the prompt. Absent: the server's default, which is not to. */
  readonly prompt_logprobs?: boolean | undefined;
  /** Likeliest tokens per prompt position; 0 = off. @defaultValue 0 */
  readonly topk_prompt_logprobs?: number | undefined;
  /** Likeliest tokens per generated token. Since 0.38. @defaultValue 0 */
  readonly topk_sample_logprobs?: number | undefined;
  /**
   * Score these ids: int64 `[promptLength - 1, K]`, cell (i, j) at prompt position i + 1; -1 asks nothing. Since 0.38.
   */
  readonly target_prompt_logprobs?: TensorData | undefined;
  /** Draw k tokens at each prompt position after the first. Since 0.38. @defaultValue 0 */
  readonly prompt_alt_tokens_k?: number | undefined;
  /** Score the last n prompt tokens only; needs `prompt_logprobs`. Since 0.38. */
  readonly prompt_logprobs_last_n?: number | undefined;
  /** Keep what StableReinforce training needs, under the sequence ids. Since 0.38. @defaultValue false */
  readonly record_stability_info?: boolean | undefined;
  readonly type?: "sample" | undefined;
}

/** Why a sample ended: at `max_tokens` (or the context's end), or at a stop. */
export type StopReason = "length" | "stop";

/** `[token id, log-probability]`. */
export type TokenLogprob = readonly [tokenId: number, logprob: number];

/** Per position the likeliest tokens, best first; null where none were computed. */
export type TopkLogprobs = readonly (readonly TokenLogprob[] | null)[];

/** One sample. */
export interface SampledSequence {
  readonly stop_reason: Open<StopReason>;
  /** Tokens that were generated, a stop token included. */
  readonly tokens: readonly number[];
  /** Log-probability of each token at temperature 1 and without filters, whatever temperature, `top_k` and `top_p` drew it. */
  readonly logprobs?: readonly number[];
  /** Likeliest tokens at each position, where `topk_sample_logprobs` was asked. */
  readonly topk_logprobs?: TopkLogprobs;
  /** Names this sample in provenance spans. From 0.38 servers. */
  readonly sequence_id?: string;
}

/** Tokens drawn at prompt positions: both `[promptLength - 1, k]`. */
export interface PromptAltTokens {
  readonly tokens: TensorData;
  readonly logprobs: TensorData;
}

/** The result of a sample request: one sequence for each sample, and scores of the prompt where asked. */
export interface SampleResponse {
  readonly sequences: readonly SampledSequence[];
  /** One per prompt token; null where not computed, such as the first. */
  readonly prompt_logprobs?: readonly (number | null)[];
  readonly topk_prompt_logprobs?: TopkLogprobs;
  /** Prompt tokens the server had in its cache. Since 0.23. */
  readonly prompt_cache_hit_tokens: number;
  /** In shape and layout of the request's tensor; 0 where it had -1. */
  readonly target_prompt_logprobs?: TensorData;
  readonly prompt_alt_tokens?: PromptAltTokens;
  readonly type?: string;
}

/** Schema of target tensors: int64, and a matrix. */
const targetTensorSchema = zodOf(tensorDataSchema).refine(
  (tensor) => tensor.dtype === "int64" && tensor.shape?.length === 2,
  "must be int64 with a shape of two dimensions, [promptLength - 1, K]",
);

/** Fields that say what samples, of which a request has one. */
const SOURCES = ["sampling_session_id", "model_path", "base_model"] as const;

export const sampleRequestSchema: RecordSchema<SampleRequest> = sentObject(
  () => ({
    num_samples: withDefault(z.int().min(1), 1),
    prompt: zodOf(modelInputSchema),
    sampling_params: zodOf(samplingParamsSchema),
    base_model: z.string().optional(),
    model_path: z.string().optional(),
    sampling_session_id: z.string().min(1).optional(),
    seq_id: int64Schema.optional(),
    prompt_logprobs: z.boolean().optional(),
    topk_prompt_logprobs: withDefault(countSchema, 0),
    topk_sample_logprobs: withDefault(countSchema, 0),
    target_prompt_logprobs: targetTensorSchema.optional(),
    prompt_alt_tokens_k: withDefault(countSchema, 0),
    prompt_logprobs_last_n: z.int().min(1).optional(),
    record_stability_info: withDefault(z.boolean(), false),
    type: sentType("sample"),
  }),
  { elsewhere: SAMPLING_PARAM_PLACES },
).check((context) => {
  const request = context.value;
  const sources = SOURCES.filter((name) => request[name] !== undefined);
  if (sources.length !== 1) {
    const got = sources.length === 0 ? "none" : sources.join(" and ");
    context.issues.push({
      code: "custom",
      message: `needs one of sampling_session_id, model_path and base_model, got ${got}`,
      path: [],
      input: request,
    });
  }
  if (request.prompt_logprobs_last_n === undefined || request.prompt_logprobs === true) return;
  context.issues.push({
    code: "custom",
    message: "needs prompt_logprobs: true",
    path: ["prompt_logprobs_last_n"],
    input: request.prompt_logprobs_last_n,
  });
});

export const sampledSequenceSchema: RecordSchema<SampledSequence> = receivedObject(() => ({
  stop_reason: openName(["length", "stop"]),
  tokens: z
    .custom<readonly number[]>(isTokenList, "must be a list of token ids")
    .meta({ type: "array", items: { type: "integer" } }),
  logprobs: readFloat32List().exactOptional(),
  topk_logprobs: readTopkList().exactOptional(),
  sequence_id: z.string().exactOptional(),
}));

function isTokenList(value: unknown): boolean {
  return Array.isArray(value) && value.every(Number.isSafeInteger);
}

export const promptAltTokensSchema: RecordSchema<PromptAltTokens> = receivedObject(() => ({
  tokens: zodOf(receivedTensorSchema),
  logprobs: zodOf(receivedTensorSchema),
}));

export const sampleResponseSchema: RecordSchema<SampleResponse> = receivedObject(() => ({
  sequences: z.array(zodOf(sampledSequenceSchema)),
  type: receivedType(),
  prompt_logprobs: readNullableFloat32List().exactOptional(),
  topk_prompt_logprobs: readTopkList().exactOptional(),
  prompt_cache_hit_tokens: z.int().default(0),
  target_prompt_logprobs: zodOf(receivedTensorSchema).exactOptional(),
  prompt_alt_tokens: zodOf(promptAltTokensSchema).exactOptional(),
}));
