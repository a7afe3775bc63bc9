import { ModelInput, type SampleRequest, type SamplingParams, ValidationError } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { encodeForwardBackwardRequest } from "../training/encode-forward-backward.js";
import { encodeJsonRequest } from "./encode-json.js";
import type { RequestName, RequestOf } from "./request-records.js";
import type { Generation } from "./sent-record.js";

const decoder = new TextDecoder();

function textOf<Name extends RequestName>(
  name: Name,
  record: RequestOf<Name> & object,
  generation: Generation = "0.25",
) {
  return decoder.decode(encodeJsonRequest(name, record, { generation }).body);
}

function bodyOf<Name extends RequestName>(
  name: Name,
  record: RequestOf<Name> & object,
  generation: Generation = "0.25",
) {
  return JSON.parse(textOf(name, record, generation)) as unknown;
}

const prompt = ModelInput.fromInts([1, 2]);

function sample(
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

/** What every sample body of this file has, in the generation of 0.25. */
const sampleBody = {
  num_samples: 1,
  prompt: { chunks: [{ tokens: [1, 2], type: "encoded_text" }] },
  sampling_params: { max_tokens: 4, temperature: 1, top_k: -1, top_p: 1 },
  sampling_session_id: "SS",
  seq_id: 0,
  prompt_logprobs: false,
  topk_prompt_logprobs: 0,
  type: "sample",
};

describe("JSON requests", () => {
  it("wire-types 1: a session without metadata, project and name", () => {
    const record = { tags: [], user_metadata: {}, sdk_version: "0.38.0" };
    expect(bodyOf("CreateSessionRequest", record)).toEqual({ ...record, type: "create_session" });
    expect(bodyOf("CreateSessionRequest", record, "0.4")).toEqual(record);
  });

  it("wire-types 2: nulls inside metadata are kept", () => {
    const record = { tags: [], user_metadata: { a: null, b: [null] }, sdk_version: "0.38.0" };
    expect(bodyOf("CreateSessionRequest", record)).toMatchObject({ user_metadata: { a: null, b: [null] } });
  });

  it("wire-types 3: a sampling session for a base model has no model_path", () => {
    const record = { session_id: "S", sampling_session_seq_id: 1, base_model: "B" };
    expect(bodyOf("CreateSamplingSessionRequest", record)).toEqual({
      ...record,
      type: "create_sampling_session",
    });
    expect(() => bodyOf("CreateSamplingSessionRequest", { ...record, model_path: "foo" })).toThrow(
      "CreateSamplingSessionRequest: model_path: must be a tinker:// path",
    );
  });

  it("wire-types 4: LoRA defaults are spelled out, seed only when set", () => {
    const record = { session_id: "S", model_seq_id: 0, base_model: "B", lora_config: { rank: 32 } };
    const lora = { rank: 32, train_unembed: true, train_mlp: true, train_attn: true };
    expect(bodyOf("CreateModelRequest", record)).toEqual({
      ...record,
      lora_config: lora,
      type: "create_model",
    });
    const seeded = { ...record, lora_config: { rank: 32, seed: 0 } };
    expect(bodyOf("CreateModelRequest", seeded)).toMatchObject({ lora_config: { seed: 0 } });
    expect(bodyOf("CreateModelRequest", record, "0.4")).toEqual(record);
  });

  it("wire-types 5: a LoRA model that trains nothing", () => {
    const lora_config = { rank: 8, train_unembed: false, train_mlp: false, train_attn: false };
    const record = { session_id: "S", model_seq_id: 0, base_model: "B", lora_config };
    expect(() => bodyOf("CreateModelRequest", record)).toThrow(
      "at least one of train_unembed, train_mlp and train_attn",
    );
  });

  it("wire-types 6: the default sample, and one that leaves prompt_logprobs to the server", () => {
    expect(bodyOf("SampleRequest", sample())).toEqual(sampleBody);
    expect(bodyOf("SampleRequest", sample({ prompt_logprobs: undefined }))).not.toHaveProperty(
      "prompt_logprobs",
    );
    expect(bodyOf("SampleRequest", sample(), "0.4")).toEqual({
      prompt: { chunks: [{ tokens: [1, 2] }] },
      sampling_params: { max_tokens: 4 },
      sampling_session_id: "SS",
      seq_id: 0,
      prompt_logprobs: false,
    });
  });

  it.each<[NonNullable<SamplingParams["stop"]>]>([["\n"], [["a", "b"]], [[1, 2]], [[]]])(
    "wire-types 7, newest-wire 13: stop %j goes as it is",
    (stop) => {
      expect(bodyOf("SampleRequest", sample({}, { stop }))).toMatchObject({ sampling_params: { stop } });
    },
  );

  it("wire-types 7: mixed stops and misspelled parameters", () => {
    const mixed = { stop: ["a", 1] } as unknown as SamplingParams;
    expect(() => bodyOf("SampleRequest", sample({}, mixed))).toThrow(
      /sampling_params\.stop: .* not a mixture/,
    );
    const misspelled = { temprature: 1 } as SamplingParams;
    expect(() => bodyOf("SampleRequest", sample({}, misspelled))).toThrow(
      '"temprature", did you mean "temperature"?',
    );
  });

  it("newest-wire 13: an unset stop is absent", () => {
    expect(textOf("SampleRequest", sample())).not.toContain("stop");
  });

  it("wire-types 8: temperature 0 is sent, a long seed keeps its digits", () => {
    expect(bodyOf("SampleRequest", sample({}, { temperature: 0 }))).toMatchObject({
      sampling_params: { temperature: 0 },
    });
    expect(textOf("SampleRequest", sample({}, { seed: 2n ** 63n }))).toContain('"seed":9223372036854775808');
  });

  it("wire-types 9: NaN is an error, not null", () => {
    expect(() => bodyOf("SampleRequest", sample({}, { temperature: Number.NaN }))).toThrow(ValidationError);
  });

  it("wire-types 10: Adam defaults are spelled out for newer servers only", () => {
    const record = { model_id: "m", seq_id: 4, adam_params: { learning_rate: 1e-4 } };
    expect(bodyOf("OptimStepRequest", record)).toEqual({
      ...record,
      adam_params: {
        learning_rate: 1e-4,
        beta1: 0.9,
        beta2: 0.95,
        eps: 1e-12,
        weight_decay: 0,
        grad_clip_norm: 0,
      },
      type: "optim_step",
    });
    expect(bodyOf("OptimStepRequest", record, "0.4")).toEqual(record);
    const decayed = { ...record, adam_params: { weight_decay: 0.1 } };
    expect(bodyOf("OptimStepRequest", decayed, "0.4")).toEqual(decayed);
  });

  it("wire-types 11, newest-wire 20: saves", () => {
    const save = { model_id: "m", path: "ck", seq_id: 4 };
    expect(bodyOf("SaveWeightsRequest", save)).toEqual({ ...save, overwrite: false, type: "save_weights" });
    expect(bodyOf("SaveWeightsRequest", save, "0.4")).toEqual(save);
    const full = { ...save, ttl_seconds: 3600, overwrite: true, user_metadata: { k: "v" } };
    expect(bodyOf("SaveWeightsRequest", full)).toEqual({ ...full, type: "save_weights" });
    const unnamed = { model_id: "m", sampling_session_seq_id: 0, seq_id: 8 };
    const type = "save_weights_for_sampler";
    expect(bodyOf("SaveWeightsForSamplerRequest", { ...unnamed, kind: "snapshot" })).toEqual({
      ...unnamed,
      type,
    });
    const inflight = { ...unnamed, kind: "inflight" } as const;
    expect(bodyOf("SaveWeightsForSamplerRequest", inflight)).toEqual({ ...inflight, type });
    expect(() => bodyOf("SaveWeightsForSamplerRequest", { ...inflight, ttl_seconds: 4000 })).toThrow(
      /inflight save/,
    );
    expect(() => bodyOf("SaveWeightsForSamplerRequest", { model_id: "m", seq_id: 1 })).toThrow(
      /exactly one of path/,
    );
  });

  it("wire-types 12: loads say whether the optimizer comes along", () => {
    const load = { model_id: "m", seq_id: 6, path: "tinker://S/weights/ck" };
    expect(bodyOf("LoadWeightsRequest", load)).toEqual({ ...load, optimizer: false, type: "load_weights" });
    expect(bodyOf("LoadWeightsRequest", { ...load, optimizer: true })).toMatchObject({ optimizer: true });
    expect(bodyOf("LoadWeightsRequest", load, "0.4")).toEqual(load);
  });

  it("wire-types 13: clearing a time to live", () => {
    expect(textOf("SetCheckpointTtlRequest", { ttl_seconds: null })).toBe('{"ttl_seconds":null}');
  });

  it("wire-types 15: a training request as JSON", () => {
    const data = [
      {
        model_input: ModelInput.fromInts([1, 2]),
        loss_fn_inputs: { target_tokens: { data: [2, 3], dtype: "int64", shape: [2] } as const },
      },
    ];
    const request = {
      model_id: "m",
      seq_id: 1,
      forward_backward_input: { data, loss_fn: "cross_entropy" } as const,
    };
    const encode = (forwardOnly: boolean, generation: Generation) => {
      const options = { wire: "json", generation } as const;
      const { body } = encodeForwardBackwardRequest({ ...request, forward_only: forwardOnly }, options);
      return JSON.parse(decoder.decode(body)) as unknown;
    };
    const input = (chunk: object) => ({
      data: [{ loss_fn_inputs: data[0]?.loss_fn_inputs, model_input: { chunks: [chunk] } }],
      loss_fn: "cross_entropy",
    });
    const typed = input({ tokens: [1, 2], type: "encoded_text" });
    expect(encode(false, "0.25")).toEqual({ forward_backward_input: typed, model_id: "m", seq_id: 1 });
    expect(encode(true, "0.4")).toEqual({
      forward_input: input({ tokens: [1, 2] }),
      model_id: "m",
      seq_id: 1,
    });
  });

  it("wire-types 16: image bytes travel as base64", () => {
    const image = { data: Uint8Array.of(0xff, 0xd8, 0xff), format: "jpeg" } as const;
    const record = sample({ prompt: { chunks: [image] } });
    expect(bodyOf("SampleRequest", record)).toMatchObject({
      prompt: { chunks: [{ data: "/9j/", format: "jpeg", type: "image" }] },
    });
  });

  it("gives 0.4 servers an image's size and tokens under their names, later ones the expected tokens", () => {
    const image = { data: "/9j/", format: "jpeg", height: 2, width: 3, expected_tokens: 4 } as const;
    const record = sample({ prompt: { chunks: [image] } });
    const old = { data: "/9j/", format: "jpeg", height: 2, width: 3, tokens: 4 };
    const newer = { data: "/9j/", format: "jpeg", expected_tokens: 4, type: "image" };
    expect(bodyOf("SampleRequest", record, "0.4")).toHaveProperty("prompt.chunks", [old]);
    expect(bodyOf("SampleRequest", record, "0.25")).toHaveProperty("prompt.chunks", [newer]);
  });

  it("wire-types 23: NaN in a tensor is an error in JSON", () => {
    const data = [
      {
        model_input: prompt,
        loss_fn_inputs: { weights: { data: new Float32Array([1, Number.NaN]), dtype: "float32" } as const },
      },
    ];
    const request = {
      model_id: "m",
      seq_id: 1,
      forward_backward_input: { data, loss_fn: "cross_entropy" } as const,
    };
    expect(() => encodeForwardBackwardRequest(request, { wire: "json", generation: "0.4" })).toThrow(
      "forward_backward_input.data[0].loss_fn_inputs.weights.data[1]: NaN has no JSON form",
    );
  });

  it("newest-wire 9: the optimizer family goes only when it is not Adam", () => {
    const record = { session_id: "S", model_seq_id: 0, base_model: "B" };
    const plain = { ...record, type: "create_model" };
    expect(bodyOf("CreateModelRequest", { ...record, optimizer_config: { type: "adamw" } })).toEqual(plain);
    const dimuon = { type: "dimuon", version: 1 } as const;
    expect(bodyOf("CreateModelRequest", { ...record, optimizer_config: { type: "dimuon" } })).toEqual({
      ...plain,
      optimizer_config: dimuon,
    });
    const zeta = { type: "zeta", foo: 1 };
    expect(bodyOf("CreateModelRequest", { ...record, optimizer_config: zeta })).toEqual({
      ...plain,
      optimizer_config: zeta,
    });
  });

  it("newest-wire 10: parameters of each family go under their own key", () => {
    const record = { model_id: "m", seq_id: 3 };
    const dimuon = { type: "dimuon", learning_rate: 0.01, beta1: 0, grad_clip_norm: -5 } as const;
    expect(bodyOf("OptimStepRequest", { ...record, optimizer_params: dimuon })).toEqual({
      ...record,
      optimizer_params: dimuon,
      type: "optim_step",
    });
    for (const wrong of [
      {},
      { learning_rate: -1 },
      { learning_rate: Number.NaN },
      { learning_rate: 0.1, beta1: 1 },
    ]) {
      const optimizer_params = { type: "dimuon", ...wrong };
      expect(() => bodyOf("OptimStepRequest", { ...record, optimizer_params })).toThrow(
        /optimizer_params\.(learning_rate|beta1)/,
      );
    }
    expect(() => bodyOf("OptimStepRequest", { ...record, adam_params: { beta1: Number.NaN } })).toThrow(
      /adam_params\.beta1/,
    );
    expect(() => bodyOf("OptimStepRequest", record)).toThrow(
      "exactly one of adam_params and optimizer_params",
    );
  });

  it("newest-wire 12: each newer option adds exactly its own key", () => {
    const target = { data: [-1, 7], dtype: "int64", shape: [2, 1] } as const;
    const options: Partial<SampleRequest>[] = [
      { topk_sample_logprobs: 2 },
      { prompt_alt_tokens_k: 3 },
      { record_stability_info: true },
      { target_prompt_logprobs: target },
    ];
    for (const option of options) {
      expect(bodyOf("SampleRequest", sample(option), "0.38")).toEqual({ ...sampleBody, ...option });
    }
    const defaults = { topk_sample_logprobs: 0, prompt_alt_tokens_k: 0, record_stability_info: false };
    expect(bodyOf("SampleRequest", sample(defaults), "0.38")).toEqual(sampleBody);
  });

  it("newest-wire 14: target tensors are checked and keep every digit", () => {
    const targets = (target: object) =>
      sample({ target_prompt_logprobs: target as SampleRequest["target_prompt_logprobs"] });
    for (const wrong of [
      { data: [1], dtype: "float32", shape: [1, 1] },
      { data: [1], dtype: "int64", shape: [1] },
      { data: [1], dtype: "int64" },
    ]) {
      expect(() => bodyOf("SampleRequest", targets(wrong))).toThrow(
        "must be int64 with a shape of two dimensions",
      );
    }
    const sparse = {
      data: [7],
      dtype: "int64",
      shape: [2, 1],
      sparse_crow_indices: [0, 0, 1],
      sparse_col_indices: [0],
    };
    expect(bodyOf("SampleRequest", targets(sparse))).toMatchObject({ target_prompt_logprobs: sparse });
    const long = { data: new BigInt64Array([2n ** 53n + 1n]), dtype: "int64", shape: [1, 1] };
    expect(textOf("SampleRequest", targets(long))).toContain('"data":[9007199254740993]');
  });

  it("newest-wire 16: the last n prompt tokens", () => {
    expect(() =>
      bodyOf("SampleRequest", sample({ prompt_logprobs: true, prompt_logprobs_last_n: 0 })),
    ).toThrow(/last_n/);
    expect(() => bodyOf("SampleRequest", sample({ prompt_logprobs_last_n: 2 }))).toThrow(
      "needs prompt_logprobs: true",
    );
    expect(() => bodyOf("SampleRequest", sample({ prompt_alt_tokens_k: -1 }))).toThrow(/prompt_alt_tokens_k/);
    const record = sample({ prompt_logprobs: true, prompt_logprobs_last_n: 2 });
    expect(bodyOf("SampleRequest", record)).toMatchObject({
      prompt_logprobs: true,
      prompt_logprobs_last_n: 2,
    });
  });

  it("newest-wire 17: session searches", () => {
    expect(bodyOf("SessionSearchRequest", {})).toEqual({
      user_metadata: {},
      owner: { type: "own" },
      limit: 50,
    });
    const full = {
      session_id: "S",
      project_ids: [],
      user_metadata: { a: "b" },
      owner: { type: "user", owner_urns: ["u1"] } as const,
      statuses: [{ type: "active" }, { type: "client_finished", reasons: ["success"] }] as const,
      limit: 200,
      cursor: { last_created_at: "2026-01-02T03:04:05.123456+02:00", last_session_id: "S" },
    };
    expect(bodyOf("SessionSearchRequest", full)).toEqual(full);
    const owners = Array.from({ length: 11 }, (_, index) => `u${index}`);
    for (const wrong of [
      { limit: 0 },
      { limit: 201 },
      { statuses: [] },
      { statuses: [{ type: "client_finished", reasons: [] }] },
      { owner: { type: "user", owner_urns: [] } },
      { owner: { type: "user", owner_urns: owners } },
      { display_name: "" },
    ]) {
      expect(() => bodyOf("SessionSearchRequest", wrong as object)).toThrow(ValidationError);
    }
  });

  it("newest-wire 18: a finish without detail says null", () => {
    expect(textOf("FinishSessionRequest", { reason: { type: "interrupted" } })).toBe(
      '{"reason":{"type":"interrupted"},"detail":null}',
    );
  });

  it("newest-wire 21: external saves with and without recipients", () => {
    const save = { model_id: "m", path: "ex", seq_id: 11 };
    expect(bodyOf("SaveWeightsExternalRequest", save)).toEqual({ ...save, type: "save_weights_external" });
    const encrypted = { ...save, ttl_seconds: 3600, age_encryption_recipients: ["age1xyz"] };
    expect(bodyOf("SaveWeightsExternalRequest", encrypted)).toEqual({
      ...encrypted,
      type: "save_weights_external",
    });
  });

  it("newest-wire 26: polls of many futures", () => {
    const target = {
      type: "sampling_session",
      sampling_session_id: "S:sample:0",
      cloned_sampler_id: 0,
    } as const;
    const first = { target, prev_cursor: 0, retrieved_request_ids: [] };
    expect(bodyOf("FuturesRetrieveRequest", { target })).toEqual(first);
    const next = { target, prev_cursor: 2n ** 60n, timeout: 0, retrieved_request_ids: ["r1"] };
    expect(textOf("FuturesRetrieveRequest", next)).toContain(
      '"prev_cursor":1152921504606846976,"timeout":0,',
    );
  });

  it("sends a clone's seq_id beyond 2^53 with all digits", () => {
    expect(textOf("SampleRequest", sample({ seq_id: 999_999_999_000_000_001n }))).toContain(
      '"seq_id":999999999000000001,',
    );
  });
});
