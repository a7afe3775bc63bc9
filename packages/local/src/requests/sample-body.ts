import * as z from "zod";
import { listOf } from "../json/bounded-collections.js";
import { anyChunk } from "./pass-body.js";
import { requestBody, wideInteger } from "./request-body.js";

const samplingParams = requestBody({
  max_tokens: z.number().optional(),
  seed: wideInteger.optional(),
  stop: z.union([z.string(), listOf(z.union([z.string(), z.number()]))]).optional(),
  temperature: z.number().default(1),
  top_k: z.number().default(-1),
  top_p: z.number().default(1),
});

/** Body of `asample`. */
export const sampleBody = requestBody({
  prompt: requestBody({ chunks: listOf(anyChunk) }),
  sampling_params: samplingParams.optional().transform((params) => params ?? samplingParams.parse({})),
  num_samples: z.number().default(1),
  base_model: z.string().optional(),
  model_path: z.string().optional(),
  sampling_session_id: z.string().optional(),
  seq_id: wideInteger.optional(),
  prompt_logprobs: z.boolean().default(false),
  topk_prompt_logprobs: z.number().default(0),
  topk_sample_logprobs: z.number().default(0),
  prompt_alt_tokens_k: z.number().default(0),
  prompt_logprobs_last_n: z.number().optional(),
  target_prompt_logprobs: z.unknown().optional(),
  record_stability_info: z.boolean().default(false),
});

export type SampleBody = z.infer<typeof sampleBody>;
