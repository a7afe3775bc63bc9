import { checkObject } from "@tinkex/base";
import {
  checkSent,
  type SampleRequest,
  type SampleResponse,
  SamplingParams,
  sampleRequestSchema,
} from "@tinkex/types";
import type { AdaptersEngine } from "../compute/adapters-engine.js";
import type { EngineModel } from "../engine/engine.js";
import type { SampleBody } from "../requests/sample-body.js";
import { sampleResponse } from "../requests/sample-response.js";
import { toSampleTask } from "../requests/sample-task.js";
import { asValidation } from "./as-validation.js";

/** A sample request; the model or the run that is called is what samples. */
export type EmbeddedSampleRequest = Omit<
  SampleRequest,
  "base_model" | "model_path" | "sampling_session_id" | "seq_id"
>;

export interface EmbeddedSampleOptions {
  /** Ends the sampling with an AbortedError. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes the function that samples from an adapter, or from the base model. */
export function embeddedSampling(
  engine: AdaptersEngine,
  model: EngineModel,
  randomSeed: () => number,
  adapterId?: string,
): (request: EmbeddedSampleRequest, options?: EmbeddedSampleOptions) => Promise<SampleResponse> {
  return async (request, options = {}) => {
    checkObject(request, "request", "{ prompt, sampling_params }");
    checkObject(options, "options", "{ signal }");
    const { name: base_model } = model;
    const checked = checkSent(sampleRequestSchema, { ...request, base_model }, "SampleRequest");
    const body = withDefaults(checked);
    const context = { model, adapterId, sessionId: "", randomSeed };
    const outcome = await engine.sample(
      asValidation(() => toSampleTask(body, context)),
      options.signal,
    );
    return sampleResponse(outcome, body.target_prompt_logprobs);
  };
}

const { temperature, top_k, top_p } = SamplingParams.defaults;

function withDefaults({
  num_samples = 1,
  prompt_logprobs = false,
  topk_prompt_logprobs = 0,
  topk_sample_logprobs = 0,
  prompt_alt_tokens_k = 0,
  record_stability_info = false,
  sampling_params: { stop, ...params },
  prompt: { chunks },
  ...request
}: SampleRequest): SampleBody {
  return {
    ...request,
    prompt: { chunks: [...chunks] },
    num_samples,
    prompt_logprobs,
    topk_prompt_logprobs,
    topk_sample_logprobs,
    prompt_alt_tokens_k,
    record_stability_info,
    sampling_params: {
      ...params,
      temperature: params.temperature ?? temperature,
      top_k: params.top_k ?? top_k,
      top_p: params.top_p ?? top_p,
      ...(stop !== undefined && { stop: typeof stop === "string" ? stop : [...stop] }),
    },
  };
}
