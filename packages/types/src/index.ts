export {
  AbortedError,
  ApiStatusError,
  ClosedError,
  ConnectionError,
  type FailedTry,
  parseRequestErrorCategory,
  type RequestErrorCategory,
  RequestFailedError,
  ResponseError,
  TimeoutError,
  TinkexError,
  type TinkexErrorCode,
  type TinkexErrorInfo,
  UnsupportedByServerError,
  ValidationError,
} from "@tinkex/base";
export {
  type ApiGeneration,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  type Endpoints,
  isEndpointName,
  type OperationName,
  type PathParametersOf,
  type RequestOf,
  type ResponseOf,
  type ResultOf,
} from "./endpoints.js";
export { CHUNK_CHANNEL, type ChunkTrace } from "./events/chunk-trace.js";
export { type ClientIdentity, EVENT_CHANNELS, type EventChannel } from "./events/client-identity.js";
export type { ClientMessage, DroppedMessages } from "./events/client-message.js";
export { CONTENT_CHANNEL, type ContentMessage } from "./events/content-message.js";
export type {
  FailureInfo,
  OperationInfo,
  OperationMessage,
  OperationMessageBase,
  OperationOutcome,
  OperationTrace,
  SavedCheckpointKind,
} from "./events/operation-message.js";
export type { QueueMessage, QueueMessageBase, QueueTrace } from "./events/queue-message.js";
export type {
  RequestMessage,
  RequestMessageBase,
  RequestTrace,
  RequestTry,
  RequestTryEnd,
} from "./events/request-message.js";
export type {
  FailedAttempt,
  FailedRequestTry,
  FailedResult,
  ReportedSession,
  SessionReporter,
  TelemetryReporter,
  TelemetryStats,
} from "./events/telemetry-reporter.js";
export { type EndpointMatch, matchEndpoint } from "./match-endpoint.js";
export {
  type AuditEventType,
  type AuditLogEntry,
  type AuditLogResponse,
  auditLogEntrySchema,
  auditLogResponseSchema,
} from "./records/account/audit-log.js";
export {
  type BillingEventInfo,
  type BillingUsageEvent,
  type BillingUsageResponse,
  type BillingUsageSession,
  billingEventInfoSchema,
  billingUsageEventSchema,
  billingUsageResponseSchema,
  billingUsageSessionSchema,
  type CheckpointStorageUsage,
  type CurrentCheckpointStorageUsageResponse,
  checkpointStorageUsageSchema,
  currentCheckpointStorageUsageResponseSchema,
  type GetBillingUsageRequest,
  type GetCurrentCheckpointStorageUsageRequest,
  getBillingUsageRequestSchema,
  getCurrentCheckpointStorageUsageRequestSchema,
} from "./records/account/billing.js";
export {
  type GenericEvent,
  type SessionEndEvent,
  type SessionStartEvent,
  type Severity,
  type TelemetryEvent,
  type TelemetryResponse,
  type TelemetrySendRequest,
  telemetryEventSchema,
  telemetryResponseSchema,
  telemetrySendRequestSchema,
  type UnhandledExceptionEvent,
} from "./records/account/telemetry-events.js";
export {
  type CheckpointFolder,
  CheckpointPath,
  type CheckpointType,
} from "./records/checkpoints/checkpoint-path.js";
export {
  type Checkpoint,
  type CheckpointArchiveUrlResponse,
  type CheckpointsListResponse,
  type Cursor,
  checkpointArchiveUrlResponseSchema,
  checkpointSchema,
  checkpointsListResponseSchema,
  cursorSchema,
  type SetCheckpointTtlRequest,
  setCheckpointTtlRequestSchema,
} from "./records/checkpoints/checkpoints.js";
export {
  type TrainingRun,
  type TrainingRunsResponse,
  trainingRunSchema,
  trainingRunsResponseSchema,
} from "./records/checkpoints/training-runs.js";
export {
  type CheckpointMetadata,
  type CopyWeightsRequest,
  type CopyWeightsResponse,
  copyWeightsRequestSchema,
  copyWeightsResponseSchema,
  type ExternalWeightsUrlsResponse,
  externalWeightsUrlsResponseSchema,
  type LoadWeightsRequest,
  type LoadWeightsResponse,
  loadWeightsRequestSchema,
  loadWeightsResponseSchema,
  type SamplingClientKind,
  type SaveWeightsExternalRequest,
  type SaveWeightsExternalResponse,
  type SaveWeightsForSamplerRequest,
  type SaveWeightsForSamplerResponse,
  type SaveWeightsRequest,
  type SaveWeightsResponse,
  saveWeightsExternalRequestSchema,
  saveWeightsExternalResponseSchema,
  saveWeightsForSamplerRequestSchema,
  saveWeightsForSamplerResponseSchema,
  saveWeightsRequestSchema,
  saveWeightsResponseSchema,
  type WeightsInfoRequest,
  type WeightsInfoResponse,
  weightsInfoRequestSchema,
  weightsInfoResponseSchema,
} from "./records/checkpoints/weights.js";
export { fromBase64, toBase64 } from "./records/data/base64.js";
export {
  type ChunkType,
  chunkType,
  type DmelChunk,
  dmelChunkSchema,
  type EncodedTextChunk,
  encodedTextChunkSchema,
  type ImageAssetPointerChunk,
  type ImageChunk,
  type ImageFormat,
  imageAssetPointerChunkSchema,
  imageChunkSchema,
  type ModelInputChunk,
  modelInputChunkSchema,
  type TokenIds,
  type TokenSource,
  tokenIdsSchema,
} from "./records/data/chunks.js";
export {
  DATUM_FIELDS,
  Datum,
  type DatumSpans,
  datumSchema,
  type NamedTensors,
  namedTensorsSchema,
  spanFault,
} from "./records/data/datum.js";
export { ModelInput, modelInputSchema } from "./records/data/model-input.js";
export {
  type PromptProvenanceSpan,
  type ProvenanceSpan,
  provenanceSpanSchema,
  type SampledProvenanceSpan,
} from "./records/data/provenance-span.js";
export {
  type LossFnOutput,
  type ReceivedFloat32Tensor,
  type ReceivedInt64Tensor,
  type ReceivedTensor,
  receivedTensorSchema,
} from "./records/data/received-tensor.js";
export {
  type Float32Data,
  type Int64Data,
  type TensorData,
  type TensorDtype,
  tensorDataSchema,
  tensorDtypeSchema,
} from "./records/data/tensor-data.js";
export { Timestamp } from "./records/data/timestamp.js";
export {
  type PromptAltTokens,
  promptAltTokensSchema,
  type SampledSequence,
  type SampleRequest,
  type SampleResponse,
  type StopReason,
  sampledSequenceSchema,
  sampleRequestSchema,
  sampleResponseSchema,
  type TokenLogprob,
  type TopkLogprobs,
} from "./records/sampling/sampling.js";
export { SamplingParams, samplingParamsSchema } from "./records/sampling/sampling-params.js";
export {
  type CreateSamplingSessionRequest,
  type CreateSamplingSessionResponse,
  createSamplingSessionRequestSchema,
  createSamplingSessionResponseSchema,
  type GetSamplerResponse,
  getSamplerResponseSchema,
  type JoinSamplingSessionRequest,
  type JoinSamplingSessionResponse,
  joinSamplingSessionRequestSchema,
  joinSamplingSessionResponseSchema,
} from "./records/sampling/sampling-sessions.js";
export {
  type ApiKeyInfoResponse,
  type AuthTokenResponse,
  apiKeyInfoResponseSchema,
  authTokenResponseSchema,
  type WhoamiResponse,
  whoamiResponseSchema,
} from "./records/sessions/auth.js";
export {
  type ClientConfigRequest,
  type ClientConfigResponse,
  type ClientDynamicConfigResponse,
  clientConfigRequestSchema,
  clientConfigResponseSchema,
  clientDynamicConfigResponseSchema,
} from "./records/sessions/client-config.js";
export {
  type CancelFutureRequest,
  type CompleteMetadataResponse,
  cancelFutureRequestSchema,
  completeMetadataResponseSchema,
  type FutureCompletion,
  type FutureOutcome,
  type FutureRetrieveRequest,
  type FuturesRetrieveRequest,
  type FuturesRetrieveResponse,
  type FuturesTarget,
  futureCompletionSchema,
  futureRetrieveRequestSchema,
  futuresRetrieveRequestSchema,
  futuresRetrieveResponseSchema,
  futuresTargetSchema,
  type QueueState,
  type RequestFailedResponse,
  requestFailedResponseSchema,
  type TryAgainResponse,
  tryAgainResponseSchema,
} from "./records/sessions/futures.js";
export {
  type GetServerCapabilitiesResponse,
  getServerCapabilitiesResponseSchema,
  type HealthResponse,
  healthResponseSchema,
  type SupportedModel,
  supportedModelSchema,
  type UntypedAPIFuture,
  untypedApiFutureSchema,
} from "./records/sessions/service.js";
export {
  type SearchOwner,
  type SessionSearchCursor,
  type SessionSearchRequest,
  type SessionSearchResponse,
  type SessionStatus,
  type SessionStatusQuery,
  type SessionSummary,
  searchOwnerSchema,
  sessionSearchCursorSchema,
  sessionSearchRequestSchema,
  sessionSearchResponseSchema,
  sessionStatusQuerySchema,
  sessionStatusSchema,
  sessionSummarySchema,
} from "./records/sessions/session-search.js";
export {
  type CreateSessionRequest,
  type CreateSessionResponse,
  createSessionRequestSchema,
  createSessionResponseSchema,
  type FinishReason,
  type FinishSessionRequest,
  finishSessionRequestSchema,
  type GetSessionResponse,
  getSessionResponseSchema,
  type ListSessionsResponse,
  listSessionsResponseSchema,
  type SessionHeartbeatRequest,
  type SessionHeartbeatResponse,
  type SetSessionProjectRequest,
  sessionHeartbeatRequestSchema,
  sessionHeartbeatResponseSchema,
  setSessionProjectRequestSchema,
  type TraceExportResponse,
  traceExportResponseSchema,
} from "./records/sessions/sessions.js";
export { AdamParams, adamParamsSchema } from "./records/training/adam-params.js";
export {
  type CreateCustomLossRequest,
  type CreateCustomLossResponse,
  type CustomLossInput,
  createCustomLossRequestSchema,
  createCustomLossResponseSchema,
  customLossInputSchema,
} from "./records/training/custom-loss.js";
export type { CustomLoss, CustomLossValue } from "./records/training/custom-loss-function.js";
export {
  type CustomLossGraph,
  type CustomLossNode,
  customLossGraphSchema,
  customLossNodeSchema,
  type GraphFloat,
  type GraphValue,
  graphValueSchema,
} from "./records/training/custom-loss-graph.js";
export {
  type ForwardBackwardInput,
  type ForwardBackwardOutput,
  type ForwardBackwardRequest,
  type ForwardRequest,
  forwardBackwardInputSchema,
  forwardBackwardOutputSchema,
  forwardBackwardRequestSchema,
  forwardRequestSchema,
  metricsSchema,
} from "./records/training/forward-backward.js";
export { LoraConfig, loraConfigSchema } from "./records/training/lora-config.js";
export { type LossFnConfig, type LossFnType, lossFnTypeSchema } from "./records/training/loss-function.js";
export {
  type CreateModelRequest,
  type CreateModelResponse,
  createModelRequestSchema,
  createModelResponseSchema,
  type GetInfoRequest,
  type GetInfoResponse,
  getInfoRequestSchema,
  getInfoResponseSchema,
  type ModelData,
  modelDataSchema,
  type UnloadModelRequest,
  type UnloadModelResponse,
  unloadModelRequestSchema,
  unloadModelResponseSchema,
} from "./records/training/models.js";
export {
  type OptimStepRequest,
  type OptimStepResponse,
  optimStepRequestSchema,
  optimStepResponseSchema,
} from "./records/training/optim-step.js";
export {
  type AdamOptimizerConfig,
  type DimuonOptimizerConfig,
  type DimuonParams,
  dimuonParamsSchema,
  type OptimizerConfig,
  type OptimizerParams,
  type OtherOptimizerConfig,
  type OtherOptimizerParams,
  optimizerConfigSchema,
  optimizerParamsSchema,
  receivedOptimizerConfigSchema,
} from "./records/training/optimizer-config.js";
export type { Records } from "./records.js";
export { checkReceived, checkRecord, checkSent, schemaOf } from "./schema/check-record.js";
export { checkRequest } from "./schema/check-request.js";
export { toJsonSchema } from "./schema/json-schema.js";
export type { JsonSchemaDraft, JsonSchemaOptions } from "./schema/json-schema-options.js";
export { type JsonObject, type JsonValue, jsonObjectSchema } from "./schema/json-value.js";
export type { Open } from "./schema/names.js";
export type { DescribeRecord, RecordDescription } from "./schema/record-description.js";
export type { CheckIssue, CheckOutcome, RecordSchema } from "./schema/record-schema.js";
export { type RecordName, recordSchemas } from "./schema/record-schemas.js";
