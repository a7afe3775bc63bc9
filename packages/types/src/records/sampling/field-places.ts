import type { SampleRequest } from "./sampling.js";
import type { SamplingParams } from "./sampling-params.js";

const IN_PARAMS = "in sampling_params";
const BESIDE_PARAMS = "beside sampling_params";

/** Places of sampling parameters, for the message of a request that has one at its top. */
export const SAMPLING_PARAM_PLACES: Readonly<Record<keyof SamplingParams, string>> = {
  max_tokens: IN_PARAMS,
  seed: IN_PARAMS,
  stop: IN_PARAMS,
  temperature: IN_PARAMS,
  top_k: IN_PARAMS,
  top_p: IN_PARAMS,
};

/** Places of a request's fields, for the message of sampling parameters that hold one. */
export const SAMPLE_FIELD_PLACES: Readonly<
  Record<Exclude<keyof SampleRequest, "sampling_params" | "seq_id" | "type">, string>
> = {
  num_samples: BESIDE_PARAMS,
  prompt: BESIDE_PARAMS,
  base_model: BESIDE_PARAMS,
  model_path: BESIDE_PARAMS,
  sampling_session_id: BESIDE_PARAMS,
  prompt_logprobs: BESIDE_PARAMS,
  topk_prompt_logprobs: BESIDE_PARAMS,
  topk_sample_logprobs: BESIDE_PARAMS,
  target_prompt_logprobs: BESIDE_PARAMS,
  prompt_alt_tokens_k: BESIDE_PARAMS,
  prompt_logprobs_last_n: BESIDE_PARAMS,
  record_stability_info: BESIDE_PARAMS,
};
