import type { RequestName } from "../json/request-records.js";

/** Which record the JSON body of a path is. */
const rows: readonly (readonly [pattern: RegExp, name: RequestName])[] = [
  [/\/client\/config$/, "ClientConfigRequest"],
  [/\/client\/dynamic_config$/, "ClientConfigRequest"],
  [/\/create_session$/, "CreateSessionRequest"],
  [/\/session_heartbeat$/, "SessionHeartbeatRequest"],
  [/\/sessions\/search$/, "SessionSearchRequest"],
  [/\/sessions\/[^/]+\/finish$/, "FinishSessionRequest"],
  [/\/sessions\/[^/]+\/project$/, "SetSessionProjectRequest"],
  [/\/create_model$/, "CreateModelRequest"],
  [/\/get_info$/, "GetInfoRequest"],
  [/\/unload_model$/, "UnloadModelRequest"],
  [/\/forward_backward$/, "ForwardBackwardRequest"],
  [/\/forward$/, "ForwardRequest"],
  [/\/optim_step$/, "OptimStepRequest"],
  [/\/save_weights$/, "SaveWeightsRequest"],
  [/\/save_weights_for_sampler$/, "SaveWeightsForSamplerRequest"],
  [/\/save_weights_external$/, "SaveWeightsExternalRequest"],
  [/\/load_weights$/, "LoadWeightsRequest"],
  [/\/weights_info$/, "WeightsInfoRequest"],
  [/\/copy_weights$/, "CopyWeightsRequest"],
  [/\/create_sampling_session$/, "CreateSamplingSessionRequest"],
  [/\/join_sampling_session$/, "JoinSamplingSessionRequest"],
  [/\/asample$/, "SampleRequest"],
  [/\/retrieve_future$/, "FutureRetrieveRequest"],
  [/\/retrieve_futures$/, "FuturesRetrieveRequest"],
  [/\/cancel_future$/, "CancelFutureRequest"],
  [/\/create_custom_loss$/, "CreateCustomLossRequest"],
  [/\/telemetry$/, "TelemetrySendRequest"],
  [/\/checkpoints\/[^/]+\/[^/]+\/ttl$/, "SetCheckpointTtlRequest"],
];

export function requestNameOf(path: string): RequestName | undefined {
  return rows.find(([pattern]) => pattern.test(path))?.[1];
}
