import { describe, expect, it } from "vitest";
import { sampleRequestSchema } from "./records/sampling/sampling.js";
import { SamplingParams, samplingParamsSchema } from "./records/sampling/sampling-params.js";
import { AdamParams, adamParamsSchema } from "./records/training/adam-params.js";
import { checkRecord, checkSent } from "./schema/check-record.js";

describe("ranges of numbers that are sent", () => {
  // ml-explore/mlx#4310: betas outside [0, 1) train, and the run diverges in silence.
  it.each<[AdamParams, string]>([
    [{ learning_rate: -1 }, "learning_rate: must be 0 or more, got -1"],
    [{ learning_rate: Number.POSITIVE_INFINITY }, "learning_rate: must be a finite number, got Infinity"],
    [{ learning_rate: Number.NaN }, "learning_rate: must be a finite number, got NaN"],
    [{ beta1: 1.5 }, "beta1: must be below 1, got 1.5"],
    [{ beta1: 1 }, "beta1: must be below 1, got 1"],
    [{ beta2: -0.1 }, "beta2: must be 0 or more, got -0.1"],
    [{ eps: 0 }, "eps: must be above 0, got 0"],
    [{ weight_decay: -1e-9 }, "weight_decay: must be 0 or more"],
  ])("refuses the optimizer step %j", (params, message) => {
    expect(() => checkSent(adamParamsSchema, params, "AdamParams")).toThrow(`AdamParams: ${message}`);
  });

  // anthropics/anthropic-sdk-python#893: a temperature of -1 is sent.
  it.each<[SamplingParams, string]>([
    [{ temperature: -1 }, "temperature: must be 0 or more, got -1"],
    [{ top_p: 2 }, "top_p: must be 1 or less, got 2"],
    [{ top_p: 0 }, "top_p: must be above 0, got 0"],
    [{ top_k: -5 }, "top_k: must be -1 or 1 or more, got -5"],
    [{ top_k: 0 }, "top_k: must be -1 or 1 or more, got 0"],
    [{ max_tokens: 0 }, "max_tokens: must be 1 or more, got 0"],
  ])("refuses the sampling parameters %j", (params, message) => {
    expect(() => checkSent(samplingParamsSchema, params, "SamplingParams")).toThrow(
      `SamplingParams: ${message}`,
    );
  });

  // JSON.parse gives such a number for the seeds that the official SDK sends.
  it.each([2 ** 64, 2 ** 53, -(2 ** 60), 1.5, Number.NaN, 2n ** 64n, -(2n ** 63n) - 1n, "7"])(
    "refuses the seed %s in words that name the bigint",
    (seed) => {
      expect(() => checkSent(samplingParamsSchema, { seed } as SamplingParams, "SamplingParams")).toThrow(
        /^SamplingParams: seed: must be an integer: a number up to 2\^53, or a bigint up to 64 bits$/,
      );
    },
  );

  it("takes the bounds themselves, and the defaults", () => {
    const step = { learning_rate: 0, beta1: 0, beta2: 0.999, eps: 1e-30, weight_decay: 0, grad_clip_norm: 0 };
    for (const params of [step, AdamParams.defaults, {}])
      expect(checkSent(adamParamsSchema, params, "AdamParams")).toEqual(params);
    for (const params of [{ temperature: 0, top_p: 1, top_k: 1, max_tokens: 1 }, SamplingParams.defaults])
      expect(checkSent(samplingParamsSchema, params, "SamplingParams")).toEqual(params);
  });
});

describe("the source of a sample", () => {
  const request = { prompt: { chunks: [] }, sampling_params: {} };

  it.each([
    [{}, "got none"],
    [{ base_model: "b", model_path: "tinker://r/sampler_weights/s" }, "got model_path and base_model"],
    [{ sampling_session_id: "s", base_model: "b" }, "got sampling_session_id and base_model"],
  ])("is one: %j is refused", (sources, message) => {
    expect(() => checkSent(sampleRequestSchema, { ...request, ...sources }, "SampleRequest")).toThrow(
      message,
    );
  });

  it("may be a session, a checkpoint or a base model", () => {
    for (const source of [{ sampling_session_id: "s", seq_id: 1 }, { model_path: "p" }, { base_model: "b" }])
      expect(checkRecord(sampleRequestSchema, { ...request, ...source }).issues).toBeUndefined();
  });
});
