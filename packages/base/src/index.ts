export { onAbort } from "./abort/on-abort.js";
export { raceAbort } from "./abort/race-abort.js";
export { type WaitErrors, waitFor, waitWithin } from "./abort/wait-for.js";
export { checkTimeoutMs, type WaitLimits } from "./abort/wait-limits.js";
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
export { errorMessage } from "./errors/error-message.js";
export { parseRequestErrorCategory, type RequestErrorCategory } from "./errors/request-error-category.js";
export { TinkexError, type TinkexErrorCode, type TinkexErrorInfo } from "./errors/tinkex-error.js";
export { AdaptiveLimit, type LimitRange } from "./flow/adaptive-limit.js";
export { ByteBudget } from "./flow/byte-budget.js";
export { Mutex } from "./flow/mutex.js";
export { Semaphore } from "./flow/semaphore.js";
export { type Release, releaseOnce, type Ticket, type Waiter, WaitQueue } from "./flow/wait-queue.js";
export { isPackageMissing } from "./peers/is-package-missing.js";
export type { Clock } from "./ports/clock.js";
export type { HttpTransport, TransportCall, TransportResponse } from "./ports/http-transport.js";
export type { Logger } from "./ports/logger.js";
export { isSilent, silentLogger } from "./ports/silent-logger.js";
export type { Tokenizer } from "./ports/tokenizer.js";
export { type Deferred, deferred } from "./promises/deferred.js";
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
export { formatPath } from "./text/format-path.js";
export { jsonTextFault, MAX_JSON_DEPTH } from "./text/json-text-fault.js";
export { nearestName } from "./text/nearest-name.js";
export { checkKnownNames, UNKNOWN_FIELD, unknownNames } from "./text/unknown-names.js";
export { visibleText } from "./text/visible-text.js";
export { atMostEvery } from "./time/at-most-every.js";
export { BACKOFFS, type Backoff, BackoffCounter, backoffMs } from "./time/backoff.js";
export { startTimer } from "./time/start-timer.js";
export { systemClock } from "./time/system-clock.js";
