import type { FutureResultName } from "../future/decode-future.js";
import type { ResponseName } from "../json/response-records.js";

/** What a poll's header says is expected, and the record that is. */
const resultNames: Readonly<Record<string, FutureResultName>> = {
  CreateCustomLoss: "CreateCustomLossResponse",
  CreateModel: "CreateModelResponse",
  Forward: "ForwardBackwardOutput",
  ForwardBackward: "ForwardBackwardOutput",
  LoadWeights: "LoadWeightsResponse",
  OptimStep: "OptimStepResponse",
  Sample: "SampleResponse",
  SaveWeights: "SaveWeightsResponse",
  SaveWeightsExternal: "SaveWeightsExternalResponse",
  SaveWeightsForSampler: "SaveWeightsForSamplerResponse",
};

/** Which record answers a path; requests that start work are answered by a future. */
const rows: readonly (readonly [pattern: RegExp, name: ResponseName])[] = [
  [/\/client\/config$/, "ClientConfigResponse"],
  [/\/client\/dynamic_config$/, "ClientDynamicConfigResponse"],
  [/\/auth\/token$/, "AuthTokenResponse"],
  [/\/create_session$/, "CreateSessionResponse"],
  [/\/session_heartbeat$/, "SessionHeartbeatResponse"],
  [/\/sessions\/search$/, "SessionSearchResponse"],
  [/\/sessions$/, "ListSessionsResponse"],
  [/\/sessions\/[^/]+$/, "GetSessionResponse"],
  [/\/trace_export$/, "TraceExportResponse"],
  [/\/get_server_capabilities$/, "GetServerCapabilitiesResponse"],
  [/\/get_info$/, "GetInfoResponse"],
  [/\/weights_info$/, "WeightsInfoResponse"],
  [/\/copy_weights$/, "CopyWeightsResponse"],
  [/\/create_sampling_session$/, "CreateSamplingSessionResponse"],
  [/\/join_sampling_session$/, "JoinSamplingSessionResponse"],
  [/\/samplers\/[^/]+$/, "GetSamplerResponse"],
  [/\/retrieve_futures$/, "FuturesRetrieveResponse"],
  [/\/telemetry$/, "TelemetryResponse"],
  [/\/external_weights_urls$/, "ExternalWeightsUrlsResponse"],
  [/\/archive$/, "CheckpointArchiveUrlResponse"],
  [/\/checkpoints$/, "CheckpointsListResponse"],
  [/\/training_runs$/, "TrainingRunsResponse"],
  [/\/training_runs\/[^/]+$/, "TrainingRun"],
  [/\/audit$/, "AuditLogResponse"],
  [/\/billing\/usage\/events$/, "BillingUsageResponse"],
  [/\/billing\/usage\/checkpoints\/current$/, "CurrentCheckpointStorageUsageResponse"],
  [
    /\/(asample|create_custom_loss|create_model|forward|forward_backward|load_weights|optim_step|save_weights|save_weights_external|save_weights_for_sampler|unload_model)$/,
    "UntypedAPIFuture",
  ],
];

/** Which record answers a request to this path; undefined where the answer's body has no meaning. */
export function responseNameOf(path: string): ResponseName | undefined {
  return rows.find(([pattern]) => pattern.test(path))?.[1];
}

/** Which record a poll waits for, by its `x-tinker-request-type`. */
export function resultNameOf(requestType: string): FutureResultName | undefined {
  return resultNames[requestType];
}
