import type { SampleRequest, SamplingParams } from "@tinkex/types";

/** Tells whether a field that is set is certainly valid. A field that has none here is left to the schema. */
type Valid<Fields> = { readonly [Name in keyof Fields]-?: ((value: unknown) => boolean) | undefined };

const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isAtLeastOne = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1;
const isId = (value: unknown): boolean => typeof value === "string" && value !== "";

const PARAMS: Valid<SamplingParams> = {
  max_tokens: isAtLeastOne,
  seed: Number.isSafeInteger,
  stop: (value) => typeof value === "string",
  temperature: (value) => Number.isFinite(value) && Number(value) >= 0,
  top_k: (value) => value === -1 || isAtLeastOne(value),
  top_p: (value) => typeof value === "number" && value > 0 && value <= 1,
};

const FIELDS: Valid<SampleRequest> = {
  num_samples: isAtLeastOne,
  // Checked when it was made a record.
  prompt: () => true,
  sampling_params: (value) => typeof value === "object" && value !== null && areUsual(value, PARAMS),
  base_model: undefined,
  model_path: undefined,
  sampling_session_id: isId,
  seq_id: undefined,
  prompt_logprobs: isBoolean,
  topk_prompt_logprobs: isCount,
  topk_sample_logprobs: isCount,
  target_prompt_logprobs: undefined,
  prompt_alt_tokens_k: isCount,
  // Valid together with `prompt_logprobs` only.
  prompt_logprobs_last_n: undefined,
  record_stability_info: isBoolean,
  type: undefined,
};

/**
 * Copies a request to a sampling session that is certainly valid, as nearly all are, without the schema, which takes twenty
 * microseconds. `undefined` for every other, about which the schema decides, and has the words for what is wrong.
 *
 * @param request - its prompt is checked
 */
export function copyOfUsual(request: SampleRequest): SampleRequest | undefined {
  const { sampling_params: params, sampling_session_id: id } = request;
  if (id === undefined || params === undefined || !areUsual(request, FIELDS)) return undefined;
  // It is written later than the call, and again for each attempt.
  return { ...request, sampling_params: { ...params } };
}

function areUsual<Fields extends object>(record: Fields, valid: Valid<Fields>): boolean {
  for (const name in record) {
    if (!Object.hasOwn(valid, name)) return false;
    const value = record[name];
    if (value !== undefined && valid[name]?.(value) !== true) return false;
  }
  return true;
}
