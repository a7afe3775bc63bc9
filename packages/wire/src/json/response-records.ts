import {
  clientConfigResponseSchema,
  clientDynamicConfigResponseSchema,
  copyWeightsResponseSchema,
  createModelResponseSchema,
  createSamplingSessionResponseSchema,
  createSessionResponseSchema,
  externalWeightsUrlsResponseSchema,
  forwardBackwardOutputSchema,
  futuresRetrieveResponseSchema,
  getInfoResponseSchema,
  getSamplerResponseSchema,
  getServerCapabilitiesResponseSchema,
  getSessionResponseSchema,
  healthResponseSchema,
  joinSamplingSessionResponseSchema,
  listSessionsResponseSchema,
  loadWeightsResponseSchema,
  optimStepResponseSchema,
  type RecordSchema,
  sampleResponseSchema,
  saveWeightsExternalResponseSchema,
  saveWeightsForSamplerResponseSchema,
  saveWeightsResponseSchema,
  sessionHeartbeatResponseSchema,
  traceExportResponseSchema,
  unloadModelResponseSchema,
  untypedApiFutureSchema,
  weightsInfoResponseSchema,
} from "@tinkex/types";

/** The answers that are JSON, or may be. */
export const responseRecords = {
  ClientConfigResponse: clientConfigResponseSchema,
  ClientDynamicConfigResponse: clientDynamicConfigResponseSchema,
  CopyWeightsResponse: copyWeightsResponseSchema,
  CreateModelResponse: createModelResponseSchema,
  CreateSamplingSessionResponse: createSamplingSessionResponseSchema,
  CreateSessionResponse: createSessionResponseSchema,
  ExternalWeightsUrlsResponse: externalWeightsUrlsResponseSchema,
  ForwardBackwardOutput: forwardBackwardOutputSchema,
  FuturesRetrieveResponse: futuresRetrieveResponseSchema,
  GetInfoResponse: getInfoResponseSchema,
  GetSamplerResponse: getSamplerResponseSchema,
  GetServerCapabilitiesResponse: getServerCapabilitiesResponseSchema,
  GetSessionResponse: getSessionResponseSchema,
  HealthResponse: healthResponseSchema,
  JoinSamplingSessionResponse: joinSamplingSessionResponseSchema,
  ListSessionsResponse: listSessionsResponseSchema,
  LoadWeightsResponse: loadWeightsResponseSchema,
  OptimStepResponse: optimStepResponseSchema,
  SampleResponse: sampleResponseSchema,
  SaveWeightsExternalResponse: saveWeightsExternalResponseSchema,
  SaveWeightsForSamplerResponse: saveWeightsForSamplerResponseSchema,
  SaveWeightsResponse: saveWeightsResponseSchema,
  SessionHeartbeatResponse: sessionHeartbeatResponseSchema,
  TraceExportResponse: traceExportResponseSchema,
  UnloadModelResponse: unloadModelResponseSchema,
  UntypedAPIFuture: untypedApiFutureSchema,
  WeightsInfoResponse: weightsInfoResponseSchema,
} as const;

/** The name of an answer record, e.g. `CreateModelResponse`. */
export type ResponseName = keyof typeof responseRecords;

/** The record of that name. */
export type ResponseOf<Name extends ResponseName> =
  (typeof responseRecords)[Name] extends RecordSchema<infer Value> ? Value : never;
