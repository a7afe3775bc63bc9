import { ValidationError } from "@tinkex/base";
import type { SampleRequest } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { bodyOf, sample, sampleBody, textOf } from "../testing/json-requests.js";

describe("JSON requests that 0.38 added or changed", () => {
  it("newest-wire 9: the optimizer family goes only when it is not Adam", () => {
    const record = { session_id: "S", model_seq_id: 0, base_model: "B" };
    const plain = { ...record, type: "create_model" };
    expect(bodyOf("CreateModelRequest", { ...record, optimizer_config: { type: "adamw" } })).toEqual(plain);
    const dimuon = { type: "dimuon", version: 1 } as const;
    expect(bodyOf("CreateModelRequest", { ...record, optimizer_config: { type: "dimuon" } })).toEqual({
      ...plain,
      optimizer_config: dimuon,
    });
    const date = { type: "zeta", since: new Date(0) };
    expect(() => bodyOf("CreateModelRequest", { ...record, optimizer_config: date })).toThrow(
      "optimizer_config.since: a Date has no JSON form",
    );
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

  it("refuses a sample request that does not say what to sample from", () => {
    expect(() => bodyOf("SampleRequest", sample({ sampling_session_id: undefined }))).toThrow(
      "needs one of sampling_session_id, model_path and base_model",
    );
    const other = sample({ sampling_session_id: undefined, model_path: "tinker://run/sampler_weights/x" });
    expect(bodyOf("SampleRequest", other)).toMatchObject({ model_path: "tinker://run/sampler_weights/x" });
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
