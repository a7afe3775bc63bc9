import { SamplingParams } from "@tinkex/types";
import * as z from "zod";
import { listOf } from "../json/bounded-collections.js";
import { anyChunk, anyTensor } from "./pass-body.js";
import { recordBody } from "./record-body.js";

const { temperature, top_k, top_p } = SamplingParams.defaults;

/** A number out of range fails the sample, and not the request. */
const samplingParams = recordBody("SamplingParams")(["seed"], {
  max_tokens: z.number().optional(),
  stop: z.union([z.string(), listOf(z.union([z.string(), z.number()]))]).optional(),
  temperature: z.number().default(temperature),
  top_k: z.number().default(top_k),
  top_p: z.number().default(top_p),
});

/** Body of `asample`. What is out of range fails the sample, and not the request. */
export const sampleBody = recordBody("SampleRequest")(
  ["base_model", "model_path", "sampling_session_id", "seq_id"],
  {
    prompt: recordBody("ModelInput")([], { chunks: listOf(anyChunk) }),
    sampling_params: samplingParams.optional().transform((params) => params ?? samplingParams.parse({})),
    num_samples: z.number().default(1),
    prompt_logprobs: z.boolean().default(false),
    topk_prompt_logprobs: z.number().default(0),
    topk_sample_logprobs: z.number().default(0),
    prompt_alt_tokens_k: z.number().default(0),
    prompt_logprobs_last_n: z.number().optional(),
    target_prompt_logprobs: anyTensor.optional(),
    record_stability_info: z.boolean().default(false),
  },
);

export type SampleBody = z.infer<typeof sampleBody>;
