export type { Clock, HttpTransport, Logger, Tokenizer, WaitLimits } from "@tinkex/base";
export type { ProxySettings, RetryOptions } from "@tinkex/http";
export { TensorData, type TensorLike } from "@tinkex/tensor";
export {
  type AlongOptions,
  graphLoss,
  type IndexPart,
  type LossDtype,
  type LossGraph,
  type LossNumber,
  type LossOperand,
  type LossOperations,
  type LossRanks,
  type LossResults,
  type LossTensor,
  lossGraph,
} from "@tinkex/tensor/loss-graph";
export {
  AbortedError,
  AdamParams,
  ApiStatusError,
  type ClientIdentity,
  type ClientMessage,
  ClosedError,
  ConnectionError,
  type CustomLoss,
  type CustomLossValue,
  Datum,
  type DroppedMessages,
  EVENT_CHANNELS,
  type EventChannel,
  LoraConfig,
  type LossFnConfig,
  type LossFnType,
  ModelInput,
  type OperationMessage,
  type OperationTrace,
  type QueueMessage,
  type QueueTrace,
  RequestFailedError,
  type RequestMessage,
  type RequestTrace,
  ResponseError,
  type SampledSequence,
  type SampleResponse,
  SamplingParams,
  TimeoutError,
  TinkexError,
  type TinkexErrorCode,
  UnsupportedByServerError,
  ValidationError,
} from "@tinkex/types";
export { AdminCalls } from "./admin/admin-calls.js";
export type { AuditLogOptions } from "./admin/audit-log.js";
export type { BillingWindow } from "./admin/billing-usage.js";
export type { StorageOptions } from "./admin/checkpoint-storage.js";
export { AccessError, type AccessFault } from "./auth/access-error.js";
export type { CredentialOrigin } from "./auth/credentials.js";
export { type CredentialPlaces, getTinkerToken, hasCredentials } from "./auth/has-credentials.js";
export { FuturesPollerError } from "./channel/futures-poller-error.js";
export type {
  CheckpointProgress,
  DownloadCheckpointOptions,
  DownloadedCheckpoint,
  DownloadedFile,
} from "./downloads/download-options.js";
export type { EventsOptions } from "./events/message-stream.js";
export { ApiFuture } from "./future/api-future.js";
export type { QueueStateEvent } from "./future/operation-context.js";
export type { CallOptions } from "./inputs/call-options.js";
export type { AccessOptions, AccessScope } from "./rest/access-scope.js";
export type { CheckpointCalls } from "./rest/checkpoint-calls.js";
export type { ArchiveUrl, ExternalWeightsUrls } from "./rest/checkpoint-urls.js";
export type {
  ListedCheckpoint,
  ListedCheckpoints,
  ListUserCheckpointsOptions,
  UserCheckpointsOptions,
} from "./rest/checkpoints.js";
export { consoleUrls } from "./rest/console-urls.js";
export type { CopyOptions, CopyWeightsOptions } from "./rest/copy-weights.js";
export type { LatestCheckpointOptions } from "./rest/latest-checkpoint.js";
export type { PageOptions, WalkOptions } from "./rest/offset-pages.js";
export type { PageList } from "./rest/page-list.js";
export type { PruneOptions, PruneResult } from "./rest/prune-checkpoints.js";
export type { PublishOptions } from "./rest/publish-checkpoint.js";
export { RestCalls } from "./rest/rest-calls.js";
export type { ListSessionsOptions, SessionsOptions } from "./rest/sessions.js";
export type { ListTrainingRunsOptions, RunFilters, TrainingRunsOptions } from "./rest/training-runs.js";
export { SampleFailedError } from "./sampling/sample-failed-error.js";
export type { ManySample, SampleManyOptions, SampleProgress } from "./sampling/sample-many.js";
export type { SampleOutput } from "./sampling/sample-output.js";
export type { FromHandleOptions, SamplerHandle } from "./sampling/sampler-handle.js";
export type { SamplerOptions, SamplerRetryOptions } from "./sampling/sampler-options.js";
export {
  type ComputeLogprobsOptions,
  type SampleOptions,
  type SampleParams,
  SamplingClient,
} from "./sampling/sampling-client.js";
export { AdminClient } from "./service/admin-client.js";
export { type Access, type CheckAccessOptions, checkAccess } from "./service/check-access.js";
export type { CloseOptions } from "./service/close-options.js";
export { events } from "./service/events.js";
export type { FromStateOptions, ResumeOptions } from "./service/from-state-options.js";
export type { LoraTrainingParams } from "./service/lora-model.js";
export { RestClient } from "./service/rest-client.js";
export type { ResumePoint } from "./service/resume-from.js";
export type { SamplingClientParams } from "./service/sampling-client-params.js";
export { ServiceClient } from "./service/service-client.js";
export type { PoolOptions, ServiceClientOptions } from "./service/service-client-options.js";
export type { ServiceStats } from "./service/service-stats.js";
export type { ConnectionOptions } from "./service/shared-connection.js";
export type { EndpointCallOptions } from "./session/api-calls.js";
export type { TokenizerLoader } from "./session/model-tokenizer.js";
export type { WireChoice } from "./session/server-generation.js";
export { SessionLostError } from "./session/session-lost-error.js";
export type { NamedSamplerWeights } from "./training/checkpoints/run-save.js";
export type {
  ExternalSaveOptions,
  OnConflict,
  SamplerSaveOptions,
  SaveOptions,
} from "./training/checkpoints/save-options.js";
export type { CreateCustomLossOptions } from "./training/loss-graph/create-custom-loss.js";
export { LossHandle } from "./training/loss-graph/loss-handle.js";
export type { PassOutput } from "./training/passes/combine-outputs.js";
export { lossOf, type PassLoss } from "./training/passes/loss-of.js";
export type { DatumLike } from "./training/passes/prepare-data.js";
export { SequenceBrokenError } from "./training/sequence-broken-error.js";
export type { TrainStepOutput } from "./training/train-step.js";
export { TrainingClient } from "./training/training-client.js";
export type {
  InfoOptions,
  LoadOptions,
  PassOptions,
  SamplingSaveOptions,
  TrainedSamplerOptions,
} from "./training/training-options.js";
