export type { Clock, HttpTransport, Logger, Tokenizer, WaitLimits } from "@tinkex/base";
export { TensorData, type TensorLike } from "@tinkex/tensor";
export {
  AbortedError,
  AdamParams,
  ApiStatusError,
  ClosedError,
  ConnectionError,
  type CustomLoss,
  type CustomLossValue,
  Datum,
  LoraConfig,
  type LossFnConfig,
  type LossFnType,
  ModelInput,
  RequestFailedError,
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
export { ApiFuture } from "./future/api-future.js";
export type { QueueStateEvent } from "./future/queue-state-event.js";
export {
  type ComputeLogprobsParams,
  type SampleParams,
  SamplingClient,
} from "./sampling/sampling-client.js";
export type { CallOptions } from "./service/call-options.js";
export {
  type CloseOptions,
  type FromStateParams,
  type LoraTrainingParams,
  type SamplingClientParams,
  ServiceClient,
} from "./service/service-client.js";
export type { ServiceClientOptions, TokenizerLoader, WireChoice } from "./service/service-client-options.js";
export type { OnConflict } from "./training/checkpoints/save-conflict.js";
export type {
  SamplerSaveOptions,
  SamplerSaveParams,
  SaveOptions,
  SaveParams,
} from "./training/checkpoints/save-params.js";
export type { PassOutput } from "./training/passes/combine-outputs.js";
export type { DatumLike } from "./training/passes/prepare-data.js";
export { SequenceBrokenError } from "./training/passes/sequence-broken-error.js";
export { type LoadParams, TrainingClient } from "./training/training-client.js";
