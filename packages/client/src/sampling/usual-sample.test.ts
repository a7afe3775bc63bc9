import { checkRecord, type SampleRequest, sampleRequestSchema } from "@tinkex/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyOfUsual } from "./usual-sample.js";

const usual = {
  num_samples: 2,
  prompt: { chunks: [{ tokens: [1, 2], type: "encoded_text" }] },
  sampling_params: { max_tokens: 4, temperature: 0.5, top_k: -1, top_p: 1, seed: 7, stop: "x" },
  sampling_session_id: "S:sample:0",
  prompt_logprobs: false,
  topk_prompt_logprobs: 0,
} as const satisfies SampleRequest;

const odd = fc.constantFrom<unknown>(
  ...[undefined, null, -1, -0, 0, 1, 1.5, 2 ** 53, 7n, Number.NaN, Number.POSITIVE_INFINITY],
  ...["", "x", true, false, [], [3], ["x"], {}, { max_tokens: 0 }],
);
const fieldNames = fc.constantFrom(
  ...[
    "num_samples",
    "sampling_params",
    "base_model",
    "model_path",
    "sampling_session_id",
    "seq_id",
    "type",
    "prompts",
  ],
  ...["prompt_logprobs", "topk_prompt_logprobs", "topk_sample_logprobs", "target_prompt_logprobs"],
  ...["prompt_alt_tokens_k", "prompt_logprobs_last_n", "record_stability_info"],
);
const paramNames = fc.constantFrom(
  "max_tokens",
  "seed",
  "stop",
  "temperature",
  "top_k",
  "top_p",
  "temprature",
);

describe("copyOfUsual", () => {
  it("takes what most calls are made of, as the schema gives it", () => {
    expect(copyOfUsual(usual)).toEqual(usual);
    expect(checkRecord(sampleRequestSchema, usual)).toEqual({ value: usual });
  });

  it("takes no request that the schema refuses, and gives the same", () => {
    fc.assert(
      fc.property(fc.dictionary(fieldNames, odd), fc.dictionary(paramNames, odd), (fields, params) => {
        const given = { ...usual, sampling_params: { ...usual.sampling_params, ...params }, ...fields };
        const copy = copyOfUsual(given as SampleRequest);
        if (copy !== undefined) expect({ value: copy }).toEqual(checkRecord(sampleRequestSchema, given));
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps the parameters as they were at the call", () => {
    const sampling_params = { max_tokens: 1 };
    const copy = copyOfUsual({ ...usual, sampling_params });
    sampling_params.max_tokens = 9;
    expect(copy?.sampling_params.max_tokens).toBe(1);
  });
});
