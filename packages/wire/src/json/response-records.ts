import {
  type ApiKeyInfoResponse,
  type AuditLogResponse,
  type AuthTokenResponse,
  apiKeyInfoResponseSchema,
  auditLogResponseSchema,
  authTokenResponseSchema,
  type BillingUsageResponse,
  billingUsageResponseSchema,
  type CheckpointArchiveUrlResponse,
  type CheckpointsListResponse,
  type ClientConfigResponse,
  type ClientDynamicConfigResponse,
  type CopyWeightsResponse,
  type CreateCustomLossResponse,
  type CreateModelResponse,
  type CreateSamplingSessionResponse,
  type CreateSessionResponse,
  type CurrentCheckpointStorageUsageResponse,
  checkpointArchiveUrlResponseSchema,
  checkpointsListResponseSchema,
  clientConfigResponseSchema,
  clientDynamicConfigResponseSchema,
  copyWeightsResponseSchema,
  createCustomLossResponseSchema,
  createModelResponseSchema,
  createSamplingSessionResponseSchema,
  createSessionResponseSchema,
  currentCheckpointStorageUsageResponseSchema,
  type ExternalWeightsUrlsResponse,
  externalWeightsUrlsResponseSchema,
  type ForwardBackwardOutput,
  type FuturesRetrieveResponse,
  forwardBackwardOutputSchema,
  futuresRetrieveResponseSchema,
  type GetInfoResponse,
  type GetSamplerResponse,
  type GetServerCapabilitiesResponse,
  type GetSessionResponse,
  getInfoResponseSchema,
  getSamplerResponseSchema,
  getServerCapabilitiesResponseSchema,
  getSessionResponseSchema,
  type HealthResponse,
  healthResponseSchema,
  type JoinSamplingSessionResponse,
  joinSamplingSessionResponseSchema,
  type ListSessionsResponse,
  type LoadWeightsResponse,
  listSessionsResponseSchema,
  loadWeightsResponseSchema,
  type OptimStepResponse,
  optimStepResponseSchema,
  type RecordSchema,
  type SampleResponse,
  type SaveWeightsExternalResponse,
  type SaveWeightsForSamplerResponse,
  type SaveWeightsResponse,
  type SessionHeartbeatResponse,
  type SessionSearchResponse,
  sampleResponseSchema,
  saveWeightsExternalResponseSchema,
  saveWeightsForSamplerResponseSchema,
  saveWeightsResponseSchema,
  sessionHeartbeatResponseSchema,
  sessionSearchResponseSchema,
  type TelemetryResponse,
  type TraceExportResponse,
  type TrainingRun,
  type TrainingRunsResponse,
  telemetryResponseSchema,
  traceExportResponseSchema,
  trainingRunSchema,
  trainingRunsResponseSchema,
  type UnloadModelResponse,
  type UntypedAPIFuture,
  unloadModelResponseSchema,
  untypedApiFutureSchema,
  type WeightsInfoResponse,
  weightsInfoResponseSchema,
} from "@tinkex/types";

/** The answers that are JSON, or may be, by name. */
export interface ResponseRecords {
  readonly ApiKeyInfoResponse: ApiKeyInfoResponse;
  readonly AuditLogResponse: AuditLogResponse;
  readonly AuthTokenResponse: AuthTokenResponse;
  readonly BillingUsageResponse: BillingUsageResponse;
  readonly CheckpointArchiveUrlResponse: CheckpointArchiveUrlResponse;
  readonly CheckpointsListResponse: CheckpointsListResponse;
  readonly ClientConfigResponse: ClientConfigResponse;
  readonly ClientDynamicConfigResponse: ClientDynamicConfigResponse;
  readonly CopyWeightsResponse: CopyWeightsResponse;
  readonly CreateCustomLossResponse: CreateCustomLossResponse;
  readonly CreateModelResponse: CreateModelResponse;
  readonly CreateSamplingSessionResponse: CreateSamplingSessionResponse;
  readonly CreateSessionResponse: CreateSessionResponse;
  readonly CurrentCheckpointStorageUsageResponse: CurrentCheckpointStorageUsageResponse;
  readonly ExternalWeightsUrlsResponse: ExternalWeightsUrlsResponse;
  readonly ForwardBackwardOutput: ForwardBackwardOutput;
  readonly FuturesRetrieveResponse: FuturesRetrieveResponse;
  readonly GetInfoResponse: GetInfoResponse;
  readonly GetSamplerResponse: GetSamplerResponse;
  readonly GetServerCapabilitiesResponse: GetServerCapabilitiesResponse;
  readonly GetSessionResponse: GetSessionResponse;
  readonly HealthResponse: HealthResponse;
  readonly JoinSamplingSessionResponse: JoinSamplingSessionResponse;
  readonly ListSessionsResponse: ListSessionsResponse;
  readonly LoadWeightsResponse: LoadWeightsResponse;
  readonly OptimStepResponse: OptimStepResponse;
  readonly SampleResponse: SampleResponse;
  readonly SaveWeightsExternalResponse: SaveWeightsExternalResponse;
  readonly SaveWeightsForSamplerResponse: SaveWeightsForSamplerResponse;
  readonly SaveWeightsResponse: SaveWeightsResponse;
  readonly SessionHeartbeatResponse: SessionHeartbeatResponse;
  readonly SessionSearchResponse: SessionSearchResponse;
  readonly TelemetryResponse: TelemetryResponse;
  readonly TraceExportResponse: TraceExportResponse;
  readonly TrainingRun: TrainingRun;
  readonly TrainingRunsResponse: TrainingRunsResponse;
  readonly UnloadModelResponse: UnloadModelResponse;
  readonly UntypedAPIFuture: UntypedAPIFuture;
  readonly WeightsInfoResponse: WeightsInfoResponse;
}

/** The name of an answer record, e.g. `CreateModelResponse`. */
export type ResponseName = keyof ResponseRecords;

/** The record of that name. */
export type ResponseOf<Name extends ResponseName> = ResponseRecords[Name];

/** The schema of each. */
export const responseRecords: { readonly [Name in ResponseName]: RecordSchema<ResponseRecords[Name]> } = {
  ApiKeyInfoResponse: apiKeyInfoResponseSchema,
  AuditLogResponse: auditLogResponseSchema,
  AuthTokenResponse: authTokenResponseSchema,
  BillingUsageResponse: billingUsageResponseSchema,
  CheckpointArchiveUrlResponse: checkpointArchiveUrlResponseSchema,
  CheckpointsListResponse: checkpointsListResponseSchema,
  ClientConfigResponse: clientConfigResponseSchema,
  ClientDynamicConfigResponse: clientDynamicConfigResponseSchema,
  CopyWeightsResponse: copyWeightsResponseSchema,
  CreateCustomLossResponse: createCustomLossResponseSchema,
  CreateModelResponse: createModelResponseSchema,
  CreateSamplingSessionResponse: createSamplingSessionResponseSchema,
  CreateSessionResponse: createSessionResponseSchema,
  CurrentCheckpointStorageUsageResponse: currentCheckpointStorageUsageResponseSchema,
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
  SessionSearchResponse: sessionSearchResponseSchema,
  TelemetryResponse: telemetryResponseSchema,
  TraceExportResponse: traceExportResponseSchema,
  TrainingRun: trainingRunSchema,
  TrainingRunsResponse: trainingRunsResponseSchema,
  UnloadModelResponse: unloadModelResponseSchema,
  UntypedAPIFuture: untypedApiFutureSchema,
  WeightsInfoResponse: weightsInfoResponseSchema,
};
