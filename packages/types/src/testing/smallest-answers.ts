import type { RecordName } from "../schema/record-schemas.js";

export const time = "2026-01-02T03:04:05Z";
export const checkpoint = {
  checkpoint_id: "weights/a",
  checkpoint_type: "training",
  time,
  tinker_path: "tinker://r/weights/a",
};
const run = {
  training_run_id: "r",
  base_model: "B",
  model_owner: "o",
  is_lora: true,
  last_request_time: time,
};
export const summary = {
  session_id: "s",
  owner: "o",
  project_id: "p",
  created_at: time,
  checkpoints_count: 0,
};

/** The smallest body of every answer: what its required fields alone make. */
export const smallestAnswers: Partial<Readonly<Record<RecordName, object>>> = {
  ApiKeyInfoResponse: {
    key_id: 1,
    name: "n",
    note: "",
    details: { org_details: { name: "o" }, user_details: { email: "e" } },
  },
  AuditLogResponse: { entries: [{ timestamp: time, event: "a_b" }] },
  AuthTokenResponse: { jwt: "x" },
  BillingUsageResponse: {
    data: [{ bucket_start: time, bucket_end: time, event_info: { type: "training", token_count: 1 } }],
  },
  Checkpoint: checkpoint,
  CheckpointArchiveUrlResponse: { url: "u", expires: time },
  CheckpointsListResponse: { checkpoints: [checkpoint] },
  ClientConfigResponse: {},
  CompleteMetadataResponse: { status: "complete_metadata" },
  ClientDynamicConfigResponse: {},
  CopyWeightsResponse: { tinker_path: "p" },
  CreateCustomLossResponse: { loss_id: "l" },
  CreateModelResponse: { model_id: "m" },
  CreateSamplingSessionResponse: { sampling_session_id: "s" },
  CreateSessionResponse: { session_id: "s" },
  CurrentCheckpointStorageUsageResponse: {
    data: [{ checkpoint_count: 1, size_bytes: 1, size_gigabytes: 1 }],
  },
  ExternalWeightsUrlsResponse: { urls: {}, expires: time },
  ForwardBackwardOutput: {
    loss_fn_output_type: "T",
    loss_fn_outputs: [{ a: { data: [1], dtype: "float32" } }],
  },
  FuturesRetrieveResponse: { completions: [{ state: "finished", request_id: "r" }], cursor: 0 },
  GetInfoResponse: { model_data: {}, model_id: "m" },
  GetSamplerResponse: { sampler_id: "s", base_model: "b" },
  GetServerCapabilitiesResponse: { supported_models: [{}] },
  GetSessionResponse: { training_run_ids: [], sampler_ids: [] },
  HealthResponse: { status: "ok" },
  JoinSamplingSessionResponse: { client_counter: 1 },
  ListSessionsResponse: { sessions: [] },
  LoadWeightsResponse: {},
  OptimStepResponse: {},
  RequestFailedResponse: { error: "e" },
  SampleResponse: { sequences: [{ stop_reason: "stop", tokens: [1] }] },
  SaveWeightsExternalResponse: { path: "p" },
  SaveWeightsForSamplerResponse: {},
  SaveWeightsResponse: { path: "p" },
  SessionHeartbeatResponse: {},
  SessionSearchResponse: { sessions: [summary] },
  TelemetryResponse: { status: "accepted" },
  TraceExportResponse: { status: "ready" },
  TrainingRun: run,
  TrainingRunsResponse: { training_runs: [run], cursor: { offset: 0, limit: 1, total_count: 1 } },
  TryAgainResponse: { type: "try_again" },
  UnloadModelResponse: { model_id: "m" },
  UntypedAPIFuture: { request_id: "r" },
  WeightsInfoResponse: { base_model: "b", is_lora: true },
  WhoamiResponse: { user_urn: "u" },
};
