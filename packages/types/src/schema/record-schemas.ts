import { auditLogEntrySchema, auditLogResponseSchema } from "../records/account/audit-log.js";
import {
  billingEventInfoSchema,
  billingUsageEventSchema,
  billingUsageResponseSchema,
  billingUsageSessionSchema,
  checkpointStorageUsageSchema,
  currentCheckpointStorageUsageResponseSchema,
  getBillingUsageRequestSchema,
  getCurrentCheckpointStorageUsageRequestSchema,
} from "../records/account/billing.js";
import {
  telemetryEventSchema,
  telemetryResponseSchema,
  telemetrySendRequestSchema,
} from "../records/account/telemetry-events.js";
import {
  checkpointArchiveUrlResponseSchema,
  checkpointSchema,
  checkpointsListResponseSchema,
  cursorSchema,
  setCheckpointTtlRequestSchema,
} from "../records/checkpoints/checkpoints.js";
import { trainingRunSchema, trainingRunsResponseSchema } from "../records/checkpoints/training-runs.js";
import {
  copyWeightsRequestSchema,
  copyWeightsResponseSchema,
  externalWeightsUrlsResponseSchema,
  loadWeightsRequestSchema,
  loadWeightsResponseSchema,
  saveWeightsExternalRequestSchema,
  saveWeightsExternalResponseSchema,
  saveWeightsForSamplerRequestSchema,
  saveWeightsForSamplerResponseSchema,
  saveWeightsRequestSchema,
  saveWeightsResponseSchema,
  weightsInfoRequestSchema,
  weightsInfoResponseSchema,
} from "../records/checkpoints/weights.js";
import {
  dmelChunkSchema,
  encodedTextChunkSchema,
  imageAssetPointerChunkSchema,
  imageChunkSchema,
  modelInputChunkSchema,
} from "../records/data/chunks.js";
import { datumSchema } from "../records/data/datum.js";
import { modelInputSchema } from "../records/data/model-input.js";
import { provenanceSpanSchema } from "../records/data/provenance-span.js";
import { tensorDataSchema } from "../records/data/tensor-data.js";
import {
  promptAltTokensSchema,
  sampledSequenceSchema,
  sampleRequestSchema,
  sampleResponseSchema,
} from "../records/sampling/sampling.js";
import { samplingParamsSchema } from "../records/sampling/sampling-params.js";
import {
  createSamplingSessionRequestSchema,
  createSamplingSessionResponseSchema,
  getSamplerResponseSchema,
  joinSamplingSessionRequestSchema,
  joinSamplingSessionResponseSchema,
} from "../records/sampling/sampling-sessions.js";
import {
  apiKeyInfoResponseSchema,
  authTokenResponseSchema,
  whoamiResponseSchema,
} from "../records/sessions/auth.js";
import {
  clientConfigRequestSchema,
  clientConfigResponseSchema,
  clientDynamicConfigResponseSchema,
} from "../records/sessions/client-config.js";
import {
  cancelFutureRequestSchema,
  completeMetadataResponseSchema,
  futureCompletionSchema,
  futureRetrieveRequestSchema,
  futuresRetrieveRequestSchema,
  futuresRetrieveResponseSchema,
  futuresTargetSchema,
  requestFailedResponseSchema,
  tryAgainResponseSchema,
} from "../records/sessions/futures.js";
import {
  getServerCapabilitiesResponseSchema,
  healthResponseSchema,
  supportedModelSchema,
  untypedApiFutureSchema,
} from "../records/sessions/service.js";
import {
  searchOwnerSchema,
  sessionSearchCursorSchema,
  sessionSearchRequestSchema,
  sessionSearchResponseSchema,
  sessionStatusQuerySchema,
  sessionStatusSchema,
  sessionSummarySchema,
} from "../records/sessions/session-search.js";
import {
  createSessionRequestSchema,
  createSessionResponseSchema,
  finishSessionRequestSchema,
  getSessionResponseSchema,
  listSessionsResponseSchema,
  sessionHeartbeatRequestSchema,
  sessionHeartbeatResponseSchema,
  setSessionProjectRequestSchema,
  traceExportResponseSchema,
} from "../records/sessions/sessions.js";
import { adamParamsSchema } from "../records/training/adam-params.js";
import {
  createCustomLossRequestSchema,
  createCustomLossResponseSchema,
  customLossInputSchema,
} from "../records/training/custom-loss.js";
import {
  customLossGraphSchema,
  customLossNodeSchema,
  graphValueSchema,
} from "../records/training/custom-loss-graph.js";
import {
  forwardBackwardInputSchema,
  forwardBackwardOutputSchema,
  forwardBackwardRequestSchema,
  forwardRequestSchema,
} from "../records/training/forward-backward.js";
import { loraConfigSchema } from "../records/training/lora-config.js";
import {
  createModelRequestSchema,
  createModelResponseSchema,
  getInfoRequestSchema,
  getInfoResponseSchema,
  modelDataSchema,
  unloadModelRequestSchema,
  unloadModelResponseSchema,
} from "../records/training/models.js";
import { optimStepRequestSchema, optimStepResponseSchema } from "../records/training/optim-step.js";
import {
  dimuonParamsSchema,
  optimizerConfigSchema,
  optimizerParamsSchema,
} from "../records/training/optimizer-config.js";

/** The schema of every record, by the record's name: for tools that treat all records alike. */
export const recordSchemas = {
  AdamParams: adamParamsSchema,
  ApiKeyInfoResponse: apiKeyInfoResponseSchema,
  AuditLogEntry: auditLogEntrySchema,
  AuditLogResponse: auditLogResponseSchema,
  AuthTokenResponse: authTokenResponseSchema,
  BillingEventInfo: billingEventInfoSchema,
  BillingUsageEvent: billingUsageEventSchema,
  BillingUsageResponse: billingUsageResponseSchema,
  BillingUsageSession: billingUsageSessionSchema,
  CancelFutureRequest: cancelFutureRequestSchema,
  Checkpoint: checkpointSchema,
  CheckpointArchiveUrlResponse: checkpointArchiveUrlResponseSchema,
  CheckpointsListResponse: checkpointsListResponseSchema,
  CheckpointStorageUsage: checkpointStorageUsageSchema,
  ClientConfigRequest: clientConfigRequestSchema,
  ClientConfigResponse: clientConfigResponseSchema,
  ClientDynamicConfigResponse: clientDynamicConfigResponseSchema,
  CompleteMetadataResponse: completeMetadataResponseSchema,
  CopyWeightsRequest: copyWeightsRequestSchema,
  CopyWeightsResponse: copyWeightsResponseSchema,
  CreateCustomLossRequest: createCustomLossRequestSchema,
  CreateCustomLossResponse: createCustomLossResponseSchema,
  CreateModelRequest: createModelRequestSchema,
  CreateModelResponse: createModelResponseSchema,
  CreateSamplingSessionRequest: createSamplingSessionRequestSchema,
  CreateSamplingSessionResponse: createSamplingSessionResponseSchema,
  CreateSessionRequest: createSessionRequestSchema,
  CreateSessionResponse: createSessionResponseSchema,
  CurrentCheckpointStorageUsageResponse: currentCheckpointStorageUsageResponseSchema,
  Cursor: cursorSchema,
  CustomLossGraph: customLossGraphSchema,
  CustomLossInput: customLossInputSchema,
  CustomLossNode: customLossNodeSchema,
  Datum: datumSchema,
  DimuonParams: dimuonParamsSchema,
  DmelChunk: dmelChunkSchema,
  EncodedTextChunk: encodedTextChunkSchema,
  ExternalWeightsUrlsResponse: externalWeightsUrlsResponseSchema,
  FinishSessionRequest: finishSessionRequestSchema,
  ForwardBackwardInput: forwardBackwardInputSchema,
  ForwardBackwardOutput: forwardBackwardOutputSchema,
  ForwardBackwardRequest: forwardBackwardRequestSchema,
  ForwardRequest: forwardRequestSchema,
  FutureCompletion: futureCompletionSchema,
  FutureRetrieveRequest: futureRetrieveRequestSchema,
  FuturesRetrieveRequest: futuresRetrieveRequestSchema,
  FuturesRetrieveResponse: futuresRetrieveResponseSchema,
  FuturesTarget: futuresTargetSchema,
  GetBillingUsageRequest: getBillingUsageRequestSchema,
  GetCurrentCheckpointStorageUsageRequest: getCurrentCheckpointStorageUsageRequestSchema,
  GetInfoRequest: getInfoRequestSchema,
  GetInfoResponse: getInfoResponseSchema,
  GetSamplerResponse: getSamplerResponseSchema,
  GetServerCapabilitiesResponse: getServerCapabilitiesResponseSchema,
  GetSessionResponse: getSessionResponseSchema,
  GraphValue: graphValueSchema,
  HealthResponse: healthResponseSchema,
  ImageAssetPointerChunk: imageAssetPointerChunkSchema,
  ImageChunk: imageChunkSchema,
  JoinSamplingSessionRequest: joinSamplingSessionRequestSchema,
  JoinSamplingSessionResponse: joinSamplingSessionResponseSchema,
  ListSessionsResponse: listSessionsResponseSchema,
  LoadWeightsRequest: loadWeightsRequestSchema,
  LoadWeightsResponse: loadWeightsResponseSchema,
  LoraConfig: loraConfigSchema,
  ModelData: modelDataSchema,
  ModelInput: modelInputSchema,
  ModelInputChunk: modelInputChunkSchema,
  OptimizerConfig: optimizerConfigSchema,
  OptimizerParams: optimizerParamsSchema,
  OptimStepRequest: optimStepRequestSchema,
  OptimStepResponse: optimStepResponseSchema,
  PromptAltTokens: promptAltTokensSchema,
  ProvenanceSpan: provenanceSpanSchema,
  RequestFailedResponse: requestFailedResponseSchema,
  SampledSequence: sampledSequenceSchema,
  SampleRequest: sampleRequestSchema,
  SampleResponse: sampleResponseSchema,
  SamplingParams: samplingParamsSchema,
  SaveWeightsExternalRequest: saveWeightsExternalRequestSchema,
  SaveWeightsExternalResponse: saveWeightsExternalResponseSchema,
  SaveWeightsForSamplerRequest: saveWeightsForSamplerRequestSchema,
  SaveWeightsForSamplerResponse: saveWeightsForSamplerResponseSchema,
  SaveWeightsRequest: saveWeightsRequestSchema,
  SaveWeightsResponse: saveWeightsResponseSchema,
  SearchOwner: searchOwnerSchema,
  SessionHeartbeatRequest: sessionHeartbeatRequestSchema,
  SessionHeartbeatResponse: sessionHeartbeatResponseSchema,
  SessionSearchCursor: sessionSearchCursorSchema,
  SessionSearchRequest: sessionSearchRequestSchema,
  SessionSearchResponse: sessionSearchResponseSchema,
  SessionStatus: sessionStatusSchema,
  SessionStatusQuery: sessionStatusQuerySchema,
  SessionSummary: sessionSummarySchema,
  SetCheckpointTtlRequest: setCheckpointTtlRequestSchema,
  SetSessionProjectRequest: setSessionProjectRequestSchema,
  SupportedModel: supportedModelSchema,
  TelemetryEvent: telemetryEventSchema,
  TelemetryResponse: telemetryResponseSchema,
  TelemetrySendRequest: telemetrySendRequestSchema,
  TensorData: tensorDataSchema,
  TraceExportResponse: traceExportResponseSchema,
  TrainingRun: trainingRunSchema,
  TrainingRunsResponse: trainingRunsResponseSchema,
  TryAgainResponse: tryAgainResponseSchema,
  UnloadModelRequest: unloadModelRequestSchema,
  UnloadModelResponse: unloadModelResponseSchema,
  UntypedAPIFuture: untypedApiFutureSchema,
  WeightsInfoRequest: weightsInfoRequestSchema,
  WeightsInfoResponse: weightsInfoResponseSchema,
  WhoamiResponse: whoamiResponseSchema,
} as const;

/** The name of a record that has a schema. */
export type RecordName = keyof typeof recordSchemas;
