import { ValidationError } from "@tinkex/base";
import { type ApiGeneration, ModelInput, type SamplingParams } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { bodyOf, prompt, sample, sampleBody, textOf } from "../testing/json-requests.js";
import { encodeForwardBackwardRequest } from "../training/encode-forward-backward.js";
import { encodeJsonRequest } from "./encode-json.js";
import { writeJson } from "./write-json.js";

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
      /sampling_params\.stop: .* got a mixture/,
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

  it("wire-types 9, transport 14: NaN is an error, not null", () => {
    expect(() => bodyOf("SampleRequest", sample({}, { temperature: Number.NaN }))).toThrow(ValidationError);
  });

  it("leaves out the check of a record that its caller has checked, and writes the same", () => {
    const record = sample({}, { temperature: 0.5 });
    const write = (isChecked: boolean, value: typeof record): string =>
      new TextDecoder().decode(
        encodeJsonRequest("SampleRequest", value, { generation: "0.38", isChecked }).body,
      );
    expect(write(true, record)).toBe(write(false, record));
    const wrong = { ...record, num_samples: 0 };
    expect(() => write(false, wrong)).toThrow(ValidationError);
    expect(write(true, wrong)).toContain('"num_samples":0');
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
    const encode = (forwardOnly: boolean, generation: ApiGeneration) => {
      const options = { wire: "json", generation } as const;
      const { body } = encodeForwardBackwardRequest({ ...request, forward_only: forwardOnly }, options);
      return JSON.parse(new TextDecoder().decode(body)) as unknown;
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

  it("refuses what JSON cannot carry, rather than leave it out", () => {
    const input = { data: [{ model_input: prompt, loss_fn_inputs: {} }], loss_fn: "cross_entropy" } as const;
    const forward = { model_id: "m", seq_id: 1, forward_backward_input: input, forward_only: true };
    expect(() => bodyOf("ForwardBackwardRequest", forward)).toThrow(
      "forward_only has no JSON form: a pass without gradient is a ForwardRequest",
    );
    const training = { ...forward, forward_only: false };
    expect(bodyOf("ForwardBackwardRequest", training)).not.toHaveProperty("forward_only");
    const spans = [{ type: "prompt_tokens", sequence_id: "q", length: 2 }] as const;
    const data = [{ ...input.data[0], model_input_spans: spans, loss_fn_input_spans: [] }];
    const traced = { model_id: "m", seq_id: 1, forward_backward_input: { ...input, data } };
    expect(() => bodyOf("ForwardBackwardRequest", traced)).toThrow("model_input_spans has no JSON form");
  });

  it("wire-types 16: image bytes travel as base64", () => {
    const image = { data: Uint8Array.of(0xff, 0xd8, 0xff), format: "jpeg" } as const;
    const record = sample({ prompt: { chunks: [image] } });
    expect(bodyOf("SampleRequest", record)).toMatchObject({
      prompt: { chunks: [{ data: "/9j/", format: "jpeg", type: "image" }] },
    });
  });

  it("wire-types 16: base64 text travels with padding and without line breaks, and must be base64", () => {
    const image = (data: string) => sample({ prompt: { chunks: [{ data, format: "jpeg" }] } });
    expect(bodyOf("SampleRequest", image("/9\nj/AA"))).toHaveProperty("prompt.chunks.0.data", "/9j/AA==");
    expect(() => bodyOf("SampleRequest", image("@@@"))).toThrow("prompt.chunks[0].data: must be bytes");
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
});

describe("a hole in a list", () => {
  // biome-ignore-start lint/suspicious/noSparseArray: what is tested
  it.each([
    ["numbers", [1, , 3], "body: [1]: undefined has no JSON form"],
    ["strings", ["a", , "b"], "body: [1]: undefined has no JSON form"],
    ["nothing else", new Array<number>(2), "body: [0]: undefined has no JSON form"],
  ])("among %s is an error, not null or a comma too many", (_, list, message) => {
    expect(() => writeJson(list, "body")).toThrow(message);
  });
  // biome-ignore-end lint/suspicious/noSparseArray: what is tested
});
