import { describe, expect, it } from "vitest";
import { auditLogResponseSchema } from "./records/account/audit-log.js";
import {
  billingUsageResponseSchema,
  currentCheckpointStorageUsageResponseSchema,
} from "./records/account/billing.js";
import { checkpointSchema, checkpointsListResponseSchema } from "./records/checkpoints/checkpoints.js";
import { trainingRunsResponseSchema } from "./records/checkpoints/training-runs.js";
import {
  saveWeightsExternalResponseSchema,
  weightsInfoResponseSchema,
} from "./records/checkpoints/weights.js";
import { sampleResponseSchema } from "./records/sampling/sampling.js";
import {
  clientConfigResponseSchema,
  clientDynamicConfigResponseSchema,
} from "./records/sessions/client-config.js";
import { getServerCapabilitiesResponseSchema } from "./records/sessions/service.js";
import { sessionSearchResponseSchema } from "./records/sessions/session-search.js";
import { createSessionResponseSchema } from "./records/sessions/sessions.js";
import { getInfoResponseSchema } from "./records/training/models.js";
import { checkReceived } from "./schema/check-record.js";
import { type RecordName, recordSchemas } from "./schema/record-schemas.js";
import { checkpoint, smallestAnswers, summary, time } from "./testing/smallest-answers.js";

/** `value` with an unknown field in it and in every object within. */
function withExtra(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExtra);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withExtra(member)]);
  return { ...Object.fromEntries(members), unknown_field: { a: [null] } };
}

describe("records we receive", () => {
  it("wire-types 28: the list of answers is complete", () => {
    const answers = Object.keys(recordSchemas).filter((name) => /(Response|Output|Future)$/.test(name));
    expect(Object.keys(smallestAnswers)).toEqual(expect.arrayContaining(answers));
  });

  it.each(Object.entries(smallestAnswers))(
    "wire-types 28: %s tolerates unknown fields, and tells of a missing one",
    (name, body) => {
      const schema = recordSchemas[name as RecordName];
      // Maps by name take any member, so an unknown one there would be an entry.
      const extended =
        name === "ForwardBackwardOutput" || name === "ExternalWeightsUrlsResponse"
          ? { ...body, x: 1 }
          : withExtra(body);
      expect(() => checkReceived<unknown>(schema, extended, name)).not.toThrow();
      for (const field of Object.keys(body)) {
        const { [field]: _, ...rest } = body as Record<string, unknown>;
        expect(() => checkReceived<unknown>(schema, rest, name), field).toThrow(field);
      }
    },
  );

  it("wire-types 28: an unknown field inside a tensor", () => {
    const tensor = { data: [1], dtype: "float32", note: "x" };
    const output = { loss_fn_output_type: "T", loss_fn_outputs: [{ a: tensor }] };
    expect(() => checkReceived<unknown>(recordSchemas.ForwardBackwardOutput, output, "x")).not.toThrow();
  });

  it.each<[string, object, string]>([
    [
      "a shape of negative sizes",
      { data: [1, 2, 3], dtype: "float32", shape: [-1, -3] },
      "shape: must be a size",
    ],
    [
      "a shape of another size",
      { data: [1, 2, 3], dtype: "int64", shape: [2] },
      "shape: [2] does not hold 3",
    ],
    [
      "row pointers without columns",
      { data: [1], dtype: "float32", shape: [1, 3], sparse_crow_indices: [0, 1] },
      "sparse_col_indices: is missing",
    ],
  ])("newest-wire 6: %s in a JSON tensor is an error, as in protobuf", (_, tensor, message) => {
    const output = { loss_fn_output_type: "T", loss_fn_outputs: [{ a: tensor }] };
    expect(() => checkReceived<unknown>(recordSchemas.ForwardBackwardOutput, output, "x")).toThrow(
      `loss_fn_outputs[0].a.${message}`,
    );
  });

  it("wire-types 29: an unknown stop reason passes", () => {
    const body = { sequences: [{ stop_reason: "content_filter", tokens: [] }] };
    expect(checkReceived(sampleResponseSchema, body, "x").sequences[0]?.stop_reason).toBe("content_filter");
  });

  it("wire-types 30: a model without a name", () => {
    expect(
      checkReceived(getServerCapabilitiesResponseSchema, { supported_models: [{}] }, "x").supported_models,
    ).toEqual([{}]);
  });

  it("wire-types 31: a checkpoint with few fields, with null, and without a time", () => {
    expect(checkReceived(checkpointSchema, checkpoint, "Checkpoint")).toEqual({
      ...checkpoint,
      public: false,
    });
    const nulls = { ...checkpoint, public: null, size_bytes: null, expires_at: null };
    expect(checkReceived(checkpointSchema, nulls, "Checkpoint")).toEqual({ ...checkpoint, public: false });
    expect(() => checkReceived(checkpointSchema, { ...checkpoint, time: undefined }, "Checkpoint")).toThrow(
      "Checkpoint: time:",
    );
    const external = { ...checkpoint, checkpoint_type: "external", user_metadata: { k: "v" } };
    expect(checkReceived(checkpointSchema, external, "Checkpoint")).toMatchObject(external);
  });

  it("wire-types 33: a list without a cursor is all there is; training runs need one", () => {
    expect(checkReceived(checkpointsListResponseSchema, { checkpoints: [] }, "x")).toEqual({
      checkpoints: [],
    });
    expect(checkReceived(checkpointsListResponseSchema, { checkpoints: [], cursor: null }, "x")).toEqual({
      checkpoints: [],
    });
    expect(() => checkReceived(trainingRunsResponseSchema, { training_runs: [] }, "x")).toThrow("cursor");
  });

  it("wire-types 38: the revision of a tokenizer is cut off", () => {
    const body = { model_data: { tokenizer_id: "a/b:rev" }, model_id: "m" };
    expect(checkReceived(getInfoResponseSchema, body, "x").model_data.tokenizer_id).toBe("a/b");
  });

  it("newest-wire 11: an absent or null optimizer is Adam, a newer version is kept", () => {
    const info = { model_data: {}, model_id: "m" };
    const optimizer = (config: object) =>
      checkReceived(getInfoResponseSchema, { ...info, ...config }, "x").optimizer_config;
    expect(optimizer({})).toEqual({ type: "adamw" });
    expect(optimizer({ optimizer_config: null })).toEqual({ type: "adamw" });
    expect(optimizer({ optimizer_config: {} })).toEqual({ type: "adamw" });
    expect(optimizer({ optimizer_config: { type: "dimuon", version: 2 } })).toEqual({
      type: "dimuon",
      version: 2,
    });
    const weights = { base_model: "b", is_lora: true, optimizer_config: null };
    expect(checkReceived(weightsInfoResponseSchema, weights, "x").optimizer_config).toEqual({
      type: "adamw",
    });
  });

  it("wire-types 39, newest-wire 24: configuration defaults", () => {
    expect(checkReceived(clientConfigResponseSchema, {}, "x")).toEqual({
      pjwt_auth_enabled: false,
      credential_default_source: "api_key",
      sample_dispatch_bytes_semaphore_size: 10485760,
      inflight_response_bytes_semaphore_size: 52428800,
      parallel_fwdbwd_chunks: true,
      proto_compress_fwdbwd: false,
      fwdbwd_max_chunk_len: 1024,
      fwdbwd_max_chunk_bytes_count: 5000000,
      fwdbwd_dispatch_bytes_semaphore_size: 50000000,
      billing_exception_max_pause_duration_sec: 3600,
      sample_no_retries: false,
      sample_enable_stuck_detection: true,
      sample_max_concurrent_requests: 2000,
      sample_use_retrieve_futures: false,
      custom_loss_server_side: false,
      sample_join_sampling_session: false,
      create_model_via_load_weights: false,
    });
    const odd = { new_flag: 1, proto_compress_fwdbwd: null };
    expect(checkReceived(clientConfigResponseSchema, odd, "x").proto_compress_fwdbwd).toBe(false);
    expect(checkReceived(clientDynamicConfigResponseSchema, {}, "x")).toEqual({
      refresh_interval_sec: 300,
      sample_cancel_enabled: false,
      sample_cancel_max_batch_size: 64,
    });
  });

  it("wire-types 41: messages of a new session are read, an error among them too", () => {
    const body = { session_id: "s", error_message: "careful" };
    expect(checkReceived(createSessionResponseSchema, body, "x")).toEqual(body);
  });

  it.each<[object, object]>([
    [
      { type: "training", token_count: 1 },
      { type: "training", token_count: 1 },
    ],
    [
      { type: "sampling_prefill", cached: true, token_count: 1 },
      { type: "sampling_prefill", cached: true, token_count: 1 },
    ],
    [
      { type: "sampling_sample", token_count: 1, extra: 1 },
      { type: "sampling_sample", token_count: 1, extra: 1 },
    ],
    [
      { type: "checkpoint", count: 2 },
      { type: "checkpoint", count: 2 },
    ],
    [
      { type: "storage", gigabyte_hours: 0.5 },
      { type: "storage", gigabyte_hours: 0.5, free: false },
    ],
    [
      { type: "new_kind", x: { y: 1 } },
      { type: "new_kind", x: { y: 1 } },
    ],
  ])("wire-types 40, newest-wire 23: billing event %j", (event_info, expected) => {
    const body = { data: [{ bucket_start: time, bucket_end: time, event_info, base_model: null }] };
    const { data, sessions } = checkReceived(billingUsageResponseSchema, body, "x");
    expect(data).toEqual([{ bucket_start: time, bucket_end: time, event_info: expected }]);
    expect(sessions).toEqual({});
  });

  it("wire-types 40: a known billing event must have its fields", () => {
    const body = { data: [{ bucket_start: time, bucket_end: time, event_info: { type: "training" } }] };
    expect(() => checkReceived(billingUsageResponseSchema, body, "x")).toThrow(
      "data[0].event_info.token_count",
    );
  });

  it("newest-wire 23: storage usage and audit details", () => {
    const usage = { data: [{ checkpoint_count: 1, size_bytes: 2, size_gigabytes: 3, user_name: null }] };
    expect(checkReceived(currentCheckpointStorageUsageResponseSchema, usage, "x").data).toEqual([
      { checkpoint_count: 1, size_bytes: 2, size_gigabytes: 3 },
    ]);
    const entries = [
      { timestamp: time, event: "a_b" },
      { timestamp: time, event: "a_b", event_details: { a: null } },
    ];
    const details = checkReceived(auditLogResponseSchema, { entries }, "x").entries.map(
      ({ event_details }) => event_details,
    );
    expect(details).toEqual([{}, { a: null }]);
  });

  it("newest-wire 17: session statuses, known, unknown and null", () => {
    const statuses = [
      { type: "active" },
      { type: "cancelled", detail: "d" },
      { type: "client_finished", reason: { type: "new" } },
      { type: "failed", category: "new", reason: { type: "request", request_id: "r" }, message: "m" },
      { type: "hibernating", since: time },
    ];
    const sessions = [...statuses, null].map((status) => ({ ...summary, status }));
    const found = checkReceived(sessionSearchResponseSchema, { sessions, next_cursor: null }, "x").sessions;
    expect(found.map(({ status }) => status)).toEqual([...statuses, undefined]);
  });

  it("newest-wire 17: a cursor keeps its text, and must say its zone", () => {
    const cursor = { last_created_at: "2026-01-02T03:04:05.123456+02:00", last_session_id: "s" };
    const read = (next_cursor: object) =>
      checkReceived(sessionSearchResponseSchema, { sessions: [], next_cursor }, "x");
    expect(read(cursor).next_cursor).toEqual(cursor);
    expect(() => read({ ...cursor, last_created_at: "2026-01-02T03:04:05" })).toThrow(
      "must have a time zone",
    );
  });

  it("newest-wire 21: an export without a path", () => {
    expect(() => checkReceived(saveWeightsExternalResponseSchema, { path: null }, "x")).toThrow("path");
  });
});
