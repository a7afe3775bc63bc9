import { ResponseError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { telemetrySendRequestSchema } from "../records/account/telemetry-events.js";
import { setCheckpointTtlRequestSchema } from "../records/checkpoints/checkpoints.js";
import { sampleRequestSchema } from "../records/sampling/sampling.js";
import { createSessionRequestSchema, finishSessionRequestSchema } from "../records/sessions/sessions.js";
import { forwardBackwardRequestSchema } from "../records/training/forward-backward.js";
import { createModelRequestSchema } from "../records/training/models.js";
import { optimStepRequestSchema } from "../records/training/optim-step.js";
import { checkRequest } from "./check-request.js";

describe("reading a request as a server", () => {
  it("drops unknown fields, reads null as absent and fills in defaults, in the records within too", () => {
    const body = {
      session_id: "s",
      model_seq_id: 0,
      base_model: "b",
      user_metadata: { kept: null, free: { x: 1 } },
      lora_config: { rank: 8, seed: null, train_mlp: false, newer: true },
      optimizer_config: null,
      newer: { a: 1 },
    };
    expect(checkRequest(createModelRequestSchema, body, "CreateModelRequest")).toEqual({
      session_id: "s",
      model_seq_id: 0,
      base_model: "b",
      user_metadata: { kept: null, free: { x: 1 } },
      lora_config: { rank: 8, train_unembed: true, train_mlp: false, train_attn: true },
      optimizer_config: { type: "adamw" },
      type: "create_model",
    });
  });

  it("reads a session without metadata, whose record may say null for none", () => {
    for (const body of [
      { tags: [], sdk_version: "0.38.0", user_metadata: null, project_id: null },
      { tags: [], sdk_version: "0.38.0" },
    ]) {
      const read = checkRequest(createSessionRequestSchema, body, "CreateSessionRequest");
      expect(read).toEqual({
        tags: [],
        sdk_version: "0.38.0",
        user_metadata: {},
        type: "create_session",
      });
    }
  });

  it("keeps a null that says something", () => {
    expect(checkRequest(setCheckpointTtlRequestSchema, { ttl_seconds: null }, "x")).toEqual({
      ttl_seconds: null,
    });
    const finish = { reason: { type: "success", newer: 1 }, detail: null };
    expect(checkRequest(finishSessionRequestSchema, finish, "x")).toEqual({
      reason: { type: "success" },
      detail: null,
    });
  });

  it("reads images as clients of each generation name them, and lists of long integers", () => {
    const image = { data: "AQ==", format: "png", tokens: 5, height: 2, width: 3, type: "image", newer: 1 };
    const tensor = { data: [1, 2n ** 60n], dtype: "int64", shape: null, newer: 1 };
    const datum = {
      model_input: { chunks: [{ tokens: [1] }, image] },
      loss_fn_inputs: { __proto__: null, a: tensor },
    };
    const body = {
      model_id: "m",
      seq_id: 1,
      forward_backward_input: { data: [datum], loss_fn: "cross_entropy", loss_fn_config: null },
    };
    const { forward_backward_input: input } = checkRequest(forwardBackwardRequestSchema, body, "x");
    expect(input).toEqual({
      data: [
        {
          model_input: {
            chunks: [
              { tokens: [1], type: "encoded_text" },
              { data: "AQ==", format: "png", expected_tokens: 5, height: 2, width: 3, type: "image" },
            ],
          },
          loss_fn_inputs: { a: { data: BigInt64Array.of(1n, 2n ** 60n), dtype: "int64" } },
        },
      ],
      loss_fn: "cross_entropy",
    });
  });

  it("reads each kind of a union as what it is, and leaves an unknown kind for the check", () => {
    const event = {
      event: "SESSION_END",
      event_id: "e",
      event_session_index: 1,
      severity: "INFO",
      timestamp: "2026-01-02T03:04:05Z",
      duration: "1",
      newer: 1,
    };
    const batch = { events: [event], platform: "p", sdk_version: "v", session_id: "s" };
    const { newer: _, ...known } = event;
    expect(checkRequest(telemetrySendRequestSchema, batch, "x").events).toEqual([known]);
    const unknown = { ...batch, events: [{ ...event, event: "NEWER" }] };
    expect(() => checkRequest(telemetrySendRequestSchema, unknown, "x")).toThrow("events[0]");
    const other = { optimizer_params: { type: "newer", free: null }, model_id: "m", seq_id: 1 };
    expect(checkRequest(optimStepRequestSchema, other, "x").optimizer_params).toEqual({
      type: "newer",
      free: null,
    });
  });

  it("refuses what is missing or out of range, and bodies that are none", () => {
    const check = (body: unknown) => () => checkRequest(sampleRequestSchema, body, "SampleRequest");
    expect(check({ prompt: { chunks: [] }, base_model: "b" })).toThrow(
      "SampleRequest: sampling_params: is missing",
    );
    const cold = { prompt: { chunks: [] }, base_model: "b", sampling_params: { temperature: -1 } };
    expect(check(cold)).toThrow("sampling_params.temperature: must be 0 or more");
    for (const body of [null, [], "x", 5, undefined]) expect(check(body)).toThrow(ResponseError);
    const loop: Record<string, unknown> = { base_model: "b" };
    loop.prompt = loop;
    expect(check(loop)).toThrow(ResponseError);
  });

  it("leaves the prototype of objects alone", () => {
    const body: unknown = JSON.parse('{"__proto__":{"polluted":1},"session_id":"s"}');
    expect(() => checkRequest(createModelRequestSchema, body, "x")).toThrow("base_model");
    expect("polluted" in {}).toBe(false);
  });
});
