export { AdamParams, adamParamsSchema } from "./adam-params.js";
export {
  AbortedError,
  ApiStatusError,
  ClosedError,
  ConnectionError,
  type FailedTry,
  RequestFailedError,
  ResponseError,
  TimeoutError,
  UnsupportedByServerError,
  ValidationError,
} from "./api-errors.js";
export {
  type AuditEventType,
  type AuditLogEntry,
  type AuditLogResponse,
  auditLogEntrySchema,
  auditLogResponseSchema,
} from "./audit-log.js";
export {
  type ApiKeyInfoResponse,
  type AuthTokenResponse,
  apiKeyInfoResponseSchema,
  authTokenResponseSchema,
  type WhoamiResponse,
  whoamiResponseSchema,
} from "./auth.js";
export { fromBase64, toBase64 } from "./base64.js";
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
} from "./billing.js";
export { type CheckpointFolder, CheckpointPath, type CheckpointType } from "./checkpoint-path.js";
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
} from "./checkpoints.js";
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
  tokenIdsSchema,
} from "./chunks.js";
export {
  type ClientConfigRequest,
  type ClientConfigResponse,
  type ClientDynamicConfigResponse,
  clientConfigRequestSchema,
  clientConfigResponseSchema,
  clientDynamicConfigResponseSchema,
} from "./client-config.js";
export type { Clock } from "./clock.js";
export {
  type CreateCustomLossRequest,
  type CreateCustomLossResponse,
  type CustomLossInput,
  createCustomLossRequestSchema,
  createCustomLossResponseSchema,
  customLossInputSchema,
} from "./custom-loss.js";
export type { CustomLoss, CustomLossValue } from "./custom-loss-function.js";
export {
  type CustomLossGraph,
  type CustomLossNode,
  customLossGraphSchema,
  customLossNodeSchema,
  type GraphFloat,
  type GraphValue,
  graphValueSchema,
} from "./custom-loss-graph.js";
export {
  Datum,
  type DatumSpans,
  datumSchema,
  type NamedTensors,
  namedTensorsSchema,
  spanFault,
} from "./datum.js";
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
} from "./forward-backward.js";
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
} from "./futures.js";
export type { HttpTransport, TransportCall, TransportResponse } from "./http-transport.js";
export { isPackageMissing } from "./is-package-missing.js";
export { toJsonSchema } from "./json-schema.js";
export { jsonTextFault, MAX_JSON_DEPTH } from "./json-text-fault.js";
export { narrowListInto, roundListInto } from "./list-into-array.js";
export type { Logger } from "./logger.js";
export { LoraConfig, loraConfigSchema } from "./lora-config.js";
export { type LossFnConfig, type LossFnType, lossFnTypeSchema } from "./loss-function.js";
export { lossInputDtypes } from "./loss-input-dtypes.js";
export { ModelInput, modelInputSchema } from "./model-input.js";
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
} from "./models.js";
export { onAbort } from "./on-abort.js";
export {
  type OptimStepRequest,
  type OptimStepResponse,
  optimStepRequestSchema,
  optimStepResponseSchema,
} from "./optim-step.js";
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
} from "./optimizer-config.js";
export {
  type PromptProvenanceSpan,
  type ProvenanceSpan,
  provenanceSpanSchema,
  type SampledProvenanceSpan,
} from "./provenance-span.js";
export { receivedTensorSchema } from "./received-tensor.js";
export { type RecordName, recordSchemas } from "./record-schemas.js";
export { parseRequestErrorCategory, type RequestErrorCategory } from "./request-error-category.js";
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
} from "./sampling.js";
export { SamplingParams, samplingParamsSchema } from "./sampling-params.js";
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
} from "./sampling-sessions.js";
export { checkReceived, checkSent } from "./schema/check-record.js";
export { formatPath } from "./schema/format-path.js";
export { type JsonObject, type JsonValue, jsonObjectSchema } from "./schema/json-value.js";
export type { Open } from "./schema/names.js";
export { nearestName } from "./schema/nearest-name.js";
export type { CheckIssue, CheckOutcome, RecordSchema } from "./schema/record-schema.js";
export { checkKnownNames } from "./schema/unknown-names.js";
export {
  type GetServerCapabilitiesResponse,
  getServerCapabilitiesResponseSchema,
  type HealthResponse,
  healthResponseSchema,
  type SupportedModel,
  supportedModelSchema,
  type UntypedAPIFuture,
  untypedApiFutureSchema,
} from "./service.js";
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
} from "./session-search.js";
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
} from "./sessions.js";
export { isSilent, silentLogger } from "./silent-logger.js";
export { startTimer } from "./start-timer.js";
export { systemClock } from "./system-clock.js";
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
} from "./telemetry-events.js";
export {
  type Float32Data,
  type Int64Data,
  type TensorData,
  type TensorDtype,
  tensorDataSchema,
  tensorDtypeSchema,
} from "./tensor-data.js";
export {
  badElement,
  elementCount,
  isSparse,
  type TensorFault,
  tensorFault,
  tensorLayoutFault,
} from "./tensor-fault.js";
export { Timestamp } from "./timestamp.js";
export { TinkexError, type TinkexErrorCode, type TinkexErrorInfo } from "./tinkex-error.js";
export type { Tokenizer } from "./tokenizer.js";
export {
  type TrainingRun,
  type TrainingRunsResponse,
  trainingRunSchema,
  trainingRunsResponseSchema,
} from "./training-runs.js";
export { visibleText } from "./visible-text.js";
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
} from "./weights.js";
