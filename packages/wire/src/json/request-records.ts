import {
  type CancelFutureRequest,
  type ClientConfigRequest,
  type CopyWeightsRequest,
  type CreateModelRequest,
  type CreateSamplingSessionRequest,
  type CreateSessionRequest,
  cancelFutureRequestSchema,
  clientConfigRequestSchema,
  copyWeightsRequestSchema,
  createModelRequestSchema,
  createSamplingSessionRequestSchema,
  createSessionRequestSchema,
  type FinishSessionRequest,
  type ForwardBackwardRequest,
  type ForwardRequest,
  type FutureRetrieveRequest,
  type FuturesRetrieveRequest,
  finishSessionRequestSchema,
  forwardBackwardRequestSchema,
  forwardRequestSchema,
  futureRetrieveRequestSchema,
  futuresRetrieveRequestSchema,
  type GetInfoRequest,
  getInfoRequestSchema,
  type JoinSamplingSessionRequest,
  joinSamplingSessionRequestSchema,
  type LoadWeightsRequest,
  loadWeightsRequestSchema,
  type OptimStepRequest,
  optimStepRequestSchema,
  type SampleRequest,
  type SaveWeightsExternalRequest,
  type SaveWeightsForSamplerRequest,
  type SaveWeightsRequest,
  type SessionHeartbeatRequest,
  type SetSessionProjectRequest,
  sampleRequestSchema,
  saveWeightsExternalRequestSchema,
  saveWeightsForSamplerRequestSchema,
  saveWeightsRequestSchema,
  sessionHeartbeatRequestSchema,
  setSessionProjectRequestSchema,
  type UnloadModelRequest,
  unloadModelRequestSchema,
  type WeightsInfoRequest,
  weightsInfoRequestSchema,
} from "@tinkex/types";
import {
  holdsAdamParams,
  holdsForwardBackwardInput,
  holdsLoraConfig,
  holdsModelInput,
  holdsSamplingParams,
  holdsTensorData,
} from "./nested-records.js";
import { type RequestRecord, requestRecord } from "./sent-record.js";

// The words for generations, short because the table below is read by column.
const v04 = { since: "0.4" } as const;
const v25 = { since: "0.25" } as const;
const v38 = { since: "0.38" } as const;

/** The requests whose bodies are JSON, their fields in the order the official SDK writes them. */
export const requestRecords = {
  ClientConfigRequest: requestRecord<ClientConfigRequest>(clientConfigRequestSchema, { sdk_version: v25 }),
  CreateSessionRequest: requestRecord<CreateSessionRequest>(createSessionRequestSchema, {
    tags: v04,
    user_metadata: v04,
    sdk_version: v04,
    project_id: v25,
    display_name: v38,
    type: { ...v25, default: "create_session" },
  }),
  SessionHeartbeatRequest: requestRecord<SessionHeartbeatRequest>(sessionHeartbeatRequestSchema, {
    session_id: v04,
    type: { ...v25, default: "session_heartbeat" },
  }),
  FinishSessionRequest: requestRecord<FinishSessionRequest>(finishSessionRequestSchema, {
    reason: v04,
    detail: { ...v04, nullWhenUnset: true },
  }),
  SetSessionProjectRequest: requestRecord<SetSessionProjectRequest>(setSessionProjectRequestSchema, {
    project_id: v04,
  }),
  CreateSamplingSessionRequest: requestRecord<CreateSamplingSessionRequest>(
    createSamplingSessionRequestSchema,
    {
      session_id: v04,
      sampling_session_seq_id: v04,
      base_model: v04,
      model_path: v04,
      type: { ...v25, default: "create_sampling_session" },
    },
  ),
  JoinSamplingSessionRequest: requestRecord<JoinSamplingSessionRequest>(joinSamplingSessionRequestSchema, {
    sampling_session_id: v04,
    type: { ...v25, default: "join_sampling_session" },
  }),
  CreateModelRequest: requestRecord<CreateModelRequest>(createModelRequestSchema, {
    session_id: v04,
    model_seq_id: v04,
    base_model: v04,
    user_metadata: v04,
    lora_config: { ...v04, holds: holdsLoraConfig },
    optimizer_config: { ...v38, default: { type: "adamw" } },
    type: { ...v25, default: "create_model" },
  }),
  GetInfoRequest: requestRecord<GetInfoRequest>(getInfoRequestSchema, {
    model_id: v04,
    type: { ...v25, default: "get_info" },
  }),
  UnloadModelRequest: requestRecord<UnloadModelRequest>(unloadModelRequestSchema, {
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
  ),
  ForwardRequest: requestRecord<ForwardRequest>(forwardRequestSchema, {
    forward_input: { ...v04, holds: holdsForwardBackwardInput },
    model_id: v04,
    seq_id: v04,
  }),
  OptimStepRequest: requestRecord<OptimStepRequest>(optimStepRequestSchema, {
    adam_params: { ...v04, holds: holdsAdamParams },
    optimizer_params: v38,
    model_id: v04,
    seq_id: v04,
    type: { ...v25, default: "optim_step" },
  }),
  SaveWeightsRequest: requestRecord<SaveWeightsRequest>(saveWeightsRequestSchema, {
    model_id: v04,
    path: v04,
    seq_id: v04,
    ttl_seconds: v25,
    overwrite: { ...v25, default: false },
    user_metadata: v38,
    type: { ...v25, default: "save_weights" },
  }),
  SaveWeightsForSamplerRequest: requestRecord<SaveWeightsForSamplerRequest>(
    saveWeightsForSamplerRequestSchema,
    {
      model_id: v04,
      path: v04,
      sampling_session_seq_id: v04,
      kind: { ...v38, default: "snapshot" },
      seq_id: v04,
      ttl_seconds: v25,
      user_metadata: v38,
      type: { ...v25, default: "save_weights_for_sampler" },
    },
  ),
  SaveWeightsExternalRequest: requestRecord<SaveWeightsExternalRequest>(saveWeightsExternalRequestSchema, {
    model_id: v04,
    path: v04,
    seq_id: v04,
    ttl_seconds: v25,
    age_encryption_recipients: v38,
    type: { ...v25, default: "save_weights_external" },
  }),
  LoadWeightsRequest: requestRecord<LoadWeightsRequest>(loadWeightsRequestSchema, {
    model_id: v04,
    seq_id: v04,
    session_id: v25,
    model_seq_id: v25,
    base_model: v25,
    user_metadata: v25,
    path: v04,
    optimizer: { ...v25, default: false },
    optimizer_config: v38,
    weights_access_token: v25,
    type: { ...v25, default: "load_weights" },
  }),
  WeightsInfoRequest: requestRecord<WeightsInfoRequest>(weightsInfoRequestSchema, { tinker_path: v04 }),
  CopyWeightsRequest: requestRecord<CopyWeightsRequest>(copyWeightsRequestSchema, {
    session_id: v04,
    model_seq_id: v04,
    destination_project_id: v04,
    source_path: v04,
    ttl_seconds: v04,
    weights_access_token: v04,
  }),
  SampleRequest: requestRecord<SampleRequest>(sampleRequestSchema, {
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
  FutureRetrieveRequest: requestRecord<FutureRetrieveRequest>(futureRetrieveRequestSchema, {
    request_id: v04,
    allow_metadata_only: { ...v25, default: false },
  }),
  FuturesRetrieveRequest: requestRecord<FuturesRetrieveRequest>(futuresRetrieveRequestSchema, {
    target: v04,
    prev_cursor: { ...v04, default: 0 },
    timeout: v04,
    retrieved_request_ids: { ...v04, default: [] },
  }),
  CancelFutureRequest: requestRecord<CancelFutureRequest>(cancelFutureRequestSchema, { request_id: v04 }),
} as const;

/** The name of a request record, e.g. `CreateModelRequest`. */
export type RequestName = keyof typeof requestRecords;

/** The record of that name. */
export type RequestOf<Name extends RequestName> =
  (typeof requestRecords)[Name] extends RequestRecord<infer Value> ? Value : never;
