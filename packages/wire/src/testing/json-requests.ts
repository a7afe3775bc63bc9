import {
  type ApiGeneration,
  ModelInput,
  type Records,
  type SampleRequest,
  type SamplingParams,
} from "@tinkex/types";
import { encodeJsonRequest } from "../json/encode-json.js";
import type { RequestName } from "../json/request-records.js";

const decoder = new TextDecoder();

/** Writes the JSON of a request. */
export function textOf<Name extends RequestName>(
  name: Name,
  record: Records[Name] & object,
  generation: ApiGeneration = "0.25",
) {
  return decoder.decode(encodeJsonRequest(name, record, { generation }).body);
}

/** Writes the JSON of a request, and parses it. */
export function bodyOf<Name extends RequestName>(
  name: Name,
  record: Records[Name] & object,
  generation: ApiGeneration = "0.25",
) {
  return JSON.parse(textOf(name, record, generation)) as unknown;
}

export const prompt = ModelInput.fromInts([1, 2]);

/** Makes a sample request with two prompt tokens. */
export function sample(
  rest: Partial<SampleRequest> = {},
  params: SamplingParams = { max_tokens: 4 },
): SampleRequest {
  return {
    prompt,
    sampling_params: params,
    sampling_session_id: "SS",
    seq_id: 0,
    prompt_logprobs: false,
    ...rest,
  };
}

/** Fields of the body of {@link sample}, in the generation of 0.25. */
export const sampleBody = {
  num_samples: 1,
  prompt: { chunks: [{ tokens: [1, 2], type: "encoded_text" }] },
  sampling_params: { max_tokens: 4, temperature: 1, top_k: -1, top_p: 1 },
  sampling_session_id: "SS",
  seq_id: 0,
  prompt_logprobs: false,
  topk_prompt_logprobs: 0,
  type: "sample",
};
