export { LightSignal } from "./abort/light-signal.js";
export { onAbort, raceAbort } from "./abort/on-abort.js";
export { type WaitErrors, type WaitLimits, waitFor, waitWithin } from "./abort/wait-for.js";
export {
  checkArray,
  checkBytes,
  checkFunction,
  checkKnownNames,
  checkNumberList,
  checkObject,
  checkString,
  checkTimeoutMs,
  DETACHED,
  holdsInt32,
  isDetached,
  UNKNOWN_FIELD,
  unknownNames,
} from "./arguments/check-argument.js";
export { checkClock, checkLogger, checkRandom } from "./arguments/check-surroundings.js";
export { describeKind, describeValue } from "./arguments/describe-value.js";
export { narrowListInto, roundListInto } from "./arrays/list-into-array.js";
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
} from "./errors/api-errors.js";
export { parseRequestErrorCategory, type RequestErrorCategory } from "./errors/request-error-category.js";
export {
  errorMessage,
  TinkexError,
  type TinkexErrorCode,
  type TinkexErrorInfo,
} from "./errors/tinkex-error.js";
export { AdaptiveLimit, type LimitRange } from "./flow/adaptive-limit.js";
export { ByteBudget } from "./flow/byte-budget.js";
export { LinkedList, type ListEntry } from "./flow/linked-list.js";
export { Mutex } from "./flow/mutex.js";
export { Semaphore } from "./flow/semaphore.js";
export { type Release, type Ticket, type Waiter, WaitQueue } from "./flow/wait-queue.js";
export { isLoopbackHost, MAX_REDIRECTS } from "./network/network-rules.js";
export { isPackageMissing } from "./peers/is-package-missing.js";
export type { Clock } from "./ports/clock.js";
export type {
  CallObserver,
  CallTry,
  CallTryEnd,
  HttpTransport,
  RepeatedTry,
  TransportCall,
  TransportResponse,
} from "./ports/http-transport.js";
export { isSilent, type Logger, silentLogger } from "./ports/logger.js";
export type { ServedOperation, ServedPhase, ServerTracer } from "./ports/server-tracer.js";
export { shieldedLogger } from "./ports/shielded-logger.js";
export type { Tokenizer } from "./ports/tokenizer.js";
export { type Deferred, deferred } from "./promises/deferred.js";
export { ProgressListener } from "./promises/progress-listener.js";
export { defineOwn } from "./records/define-own.js";
export { lossInputDtypes } from "./tensors/loss-input-dtypes.js";
export type { Float32Data, Int64Data, TensorData, TensorDtype } from "./tensors/tensor-data.js";
export {
  badElement,
  elementCount,
  isSparse,
  type TensorFault,
  tensorFault,
  tensorLayoutFault,
} from "./tensors/tensor-fault.js";
export { isTfTensorLike, type TfTensorLike } from "./tensors/tf-tensor-like.js";
export { formatPath } from "./text/format-path.js";
export { jsonTextFault, MAX_JSON_DEPTH } from "./text/json-text-fault.js";
export { nearestName } from "./text/nearest-name.js";
export { type JsonParts, readJsonText } from "./text/read-json-text.js";
export { visibleText } from "./text/visible-text.js";
export { atMostEvery } from "./time/at-most-every.js";
export { BACKOFFS, type Backoff, BackoffCounter, backoffMs } from "./time/backoff.js";
export { startTimer, systemClock } from "./time/system-clock.js";
