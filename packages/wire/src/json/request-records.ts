import {
  cancelFutureRequestSchema,
  clientConfigRequestSchema,
  copyWeightsRequestSchema,
  createCustomLossRequestSchema,
  createModelRequestSchema,
  createSamplingSessionRequestSchema,
  createSessionRequestSchema,
  type EndpointName,
  type Endpoints,
  type ForwardBackwardRequest,
  finishSessionRequestSchema,
  forwardBackwardRequestSchema,
  forwardRequestSchema,
  futureRetrieveRequestSchema,
  futuresRetrieveRequestSchema,
  getInfoRequestSchema,
  joinSamplingSessionRequestSchema,
  loadWeightsRequestSchema,
  optimStepRequestSchema,
  type Records,
  sampleRequestSchema,
  saveWeightsExternalRequestSchema,
  saveWeightsForSamplerRequestSchema,
  saveWeightsRequestSchema,
  sessionHeartbeatRequestSchema,
  sessionSearchRequestSchema,
  setCheckpointTtlRequestSchema,
  setSessionProjectRequestSchema,
  telemetrySendRequestSchema,
  unloadModelRequestSchema,
  weightsInfoRequestSchema,
} from "@tinkex/types";
import {
  holdsAdamParams,
  holdsCustomLossGraph,
  holdsForwardBackwardInput,
  holdsLoraConfig,
  holdsModelInput,
  holdsOptimizerConfig,
  holdsOptimizerParams,
  holdsSamplingParams,
  holdsTelemetryEvents,
  holdsTensorData,
} from "./nested-records.js";
import { type RequestRecord, requestRecord } from "./sent-record.js";

// The words for generations, short because the table below is read by column.
const v04 = { since: "0.4" } as const;
const v25 = { since: "0.25" } as const;
const v38 = { since: "0.38" } as const;

/** The name of a record that is the body of a request, e.g. `CreateModelRequest`. */
export type RequestName = {
  [Name in EndpointName]: Endpoints[Name] extends { readonly request: infer Request extends keyof Records }
    ? Request
    : never;
}[EndpointName];

/** The table of each, its fields in the order the official SDK writes them. */
export const requestRecords: { readonly [Name in RequestName]: RequestRecord<Records[Name]> } = {
  ClientConfigRequest: requestRecord(clientConfigRequestSchema, { sdk_version: v25 }),
  CreateSessionRequest: requestRecord(createSessionRequestSchema, {
    tags: v04,
    user_metadata: v04,
    sdk_version: v04,
    project_id: v25,
    display_name: v38,
    type: { ...v25, default: "create_session" },
  }),
  SessionHeartbeatRequest: requestRecord(sessionHeartbeatRequestSchema, {
    session_id: v04,
    type: { ...v25, default: "session_heartbeat" },
  }),
  FinishSessionRequest: requestRecord(finishSessionRequestSchema, {
    reason: v04,
    detail: { ...v04, nullWhenUnset: true },
  }),
  SetSessionProjectRequest: requestRecord(setSessionProjectRequestSchema, {
    project_id: v04,
  }),
  CreateSamplingSessionRequest: requestRecord(createSamplingSessionRequestSchema, {
    session_id: v04,
    sampling_session_seq_id: v04,
    base_model: v04,
    model_path: v04,
    type: { ...v25, default: "create_sampling_session" },
  }),
  JoinSamplingSessionRequest: requestRecord(joinSamplingSessionRequestSchema, {
    sampling_session_id: v04,
    type: { ...v25, default: "join_sampling_session" },
  }),
  CreateModelRequest: requestRecord(createModelRequestSchema, {
    session_id: v04,
    model_seq_id: v04,
    base_model: v04,
    user_metadata: v04,
    lora_config: { ...v04, holds: holdsLoraConfig },
    optimizer_config: { ...v38, default: { type: "adamw" }, holds: holdsOptimizerConfig },
    type: { ...v25, default: "create_model" },
  }),
  GetInfoRequest: requestRecord(getInfoRequestSchema, {
    model_id: v04,
    type: { ...v25, default: "get_info" },
  }),
  UnloadModelRequest: requestRecord(unloadModelRequestSchema, {
    model_id: v04,
    type: { ...v25, default: "unload_model" },
  }),
  ForwardBackwardRequest: requestRecord<Omit<ForwardBackwardRequest, "forward_only">>(
    forwardBackwardRequestSchema,
    {
      forward_backward_input: { ...v04, holds: holdsForwardBackwardInput },
      model_id: v04,
      seq_id: v04,
    },
    {
      withoutJsonForm: { forward_only: "a pass without gradient is a ForwardRequest, for another endpoint" },
    },
  ),
  ForwardRequest: requestRecord(forwardRequestSchema, {
    forward_input: { ...v04, holds: holdsForwardBackwardInput },
    model_id: v04,
    seq_id: v04,
  }),
  OptimStepRequest: requestRecord(optimStepRequestSchema, {
    adam_params: { ...v04, holds: holdsAdamParams },
    optimizer_params: { ...v38, holds: holdsOptimizerParams },
    model_id: v04,
    seq_id: v04,
    type: { ...v25, default: "optim_step" },
  }),
  SaveWeightsRequest: requestRecord(saveWeightsRequestSchema, {
    model_id: v04,
    path: v04,
    seq_id: v04,
    ttl_seconds: v25,
    overwrite: { ...v25, default: false },
    user_metadata: v38,
    type: { ...v25, default: "save_weights" },
  }),
  SaveWeightsForSamplerRequest: requestRecord(saveWeightsForSamplerRequestSchema, {
    model_id: v04,
    path: v04,
    sampling_session_seq_id: v04,
    kind: { ...v38, default: "snapshot" },
    seq_id: v04,
    ttl_seconds: v25,
    user_metadata: v38,
    type: { ...v25, default: "save_weights_for_sampler" },
  }),
  SaveWeightsExternalRequest: requestRecord(saveWeightsExternalRequestSchema, {
    model_id: v04,
    path: v04,
    seq_id: v04,
    ttl_seconds: v25,
    age_encryption_recipients: v38,
    type: { ...v25, default: "save_weights_external" },
  }),
  LoadWeightsRequest: requestRecord(loadWeightsRequestSchema, {
    model_id: v04,
    seq_id: v04,
    session_id: v25,
    model_seq_id: v25,
    base_model: v25,
    user_metadata: v25,
    path: v04,
    optimizer: { ...v25, default: false },
    optimizer_config: { ...v38, holds: holdsOptimizerConfig },
    weights_access_token: v25,
    type: { ...v25, default: "load_weights" },
  }),
  WeightsInfoRequest: requestRecord(weightsInfoRequestSchema, { tinker_path: v04 }),
  CopyWeightsRequest: requestRecord(copyWeightsRequestSchema, {
    session_id: v04,
    model_seq_id: v04,
    destination_project_id: v04,
    source_path: v04,
    ttl_seconds: v04,
    weights_access_token: v04,
  }),
  SampleRequest: requestRecord(sampleRequestSchema, {
    num_samples: { ...v04, default: 1 },
    prompt: { ...v04, holds: holdsModelInput },
    sampling_params: { ...v04, holds: holdsSamplingParams },
    base_model: v04,
    model_path: v04,
    sampling_session_id: v04,
    seq_id: v04,
    prompt_logprobs: v04,
    topk_prompt_logprobs: { ...v04, default: 0 },
    topk_sample_logprobs: { ...v38, default: 0 },
    target_prompt_logprobs: { ...v38, holds: holdsTensorData },
    prompt_alt_tokens_k: { ...v38, default: 0 },
    prompt_logprobs_last_n: v38,
    record_stability_info: { ...v38, default: false },
    type: { ...v25, default: "sample" },
  }),
  FutureRetrieveRequest: requestRecord(futureRetrieveRequestSchema, {
    request_id: v04,
    allow_metadata_only: { ...v25, default: false },
  }),
  FuturesRetrieveRequest: requestRecord(futuresRetrieveRequestSchema, {
    target: v04,
    prev_cursor: { ...v04, default: 0 },
    timeout: v04,
    retrieved_request_ids: { ...v04, default: [] },
  }),
  CreateCustomLossRequest: requestRecord(createCustomLossRequestSchema, {
    session_id: v04,
    custom_loss_seq_id: v04,
    name: v04,
    inputs: v04,
    graph: { ...v04, holds: holdsCustomLossGraph },
    type: { ...v25, default: "create_custom_loss" },
  }),
  SessionSearchRequest: requestRecord(sessionSearchRequestSchema, {
    session_id: v04,
    project_ids: v04,
    user_metadata: { ...v25, default: {} },
    display_name: v04,
    owner: { ...v25, default: { type: "own" } },
    statuses: v04,
    limit: { ...v25, default: 50 },
    cursor: v04,
  }),
  SetCheckpointTtlRequest: requestRecord(setCheckpointTtlRequestSchema, {
    ttl_seconds: { ...v04, nullWhenUnset: true },
  }),
  TelemetrySendRequest: requestRecord(telemetrySendRequestSchema, {
    events: { ...v04, holds: holdsTelemetryEvents },
    platform: v04,
    sdk_version: v04,
    session_id: v04,
    process_uuid: v25,
  }),
  CancelFutureRequest: requestRecord(cancelFutureRequestSchema, { request_id: v04 }),
};

/** Tells whether a record is the body of a request. */
export function isRequestName(name: string): name is RequestName {
  return Object.hasOwn(requestRecords, name);
}
