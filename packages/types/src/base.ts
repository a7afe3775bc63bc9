// Everything of this package that works without a schema, so that importing it loads no library. The main entry exports the
// same things: both share their modules, and `instanceof` holds across them.
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
export { fromBase64, toBase64 } from "./base64.js";
export { type CheckpointFolder, CheckpointPath, type CheckpointType } from "./checkpoint-path.js";
export type { Clock } from "./clock.js";
export type { CustomLoss, CustomLossValue } from "./custom-loss-function.js";
export type { Datum } from "./datum.js";
export type { HttpTransport, TransportCall, TransportResponse } from "./http-transport.js";
export { isPackageMissing } from "./is-package-missing.js";
export { jsonTextFault, MAX_JSON_DEPTH } from "./json-text-fault.js";
export { narrowListInto, roundListInto } from "./list-into-array.js";
export type { Logger } from "./logger.js";
export { lossInputDtypes } from "./loss-input-dtypes.js";
export { onAbort } from "./on-abort.js";
export { parseRequestErrorCategory, type RequestErrorCategory } from "./request-error-category.js";
export { formatPath } from "./schema/format-path.js";
export { nearestName } from "./schema/nearest-name.js";
export { checkKnownNames } from "./schema/unknown-names.js";
export { isSilent, silentLogger } from "./silent-logger.js";
export { startTimer } from "./start-timer.js";
export { systemClock } from "./system-clock.js";
export type { Float32Data, Int64Data, TensorData, TensorDtype } from "./tensor-data.js";
export {
  badElement,
  elementCount,
  isSparse,
  type TensorFault,
  tensorFault,
  tensorLayoutFault,
} from "./tensor-fault.js";
export { TinkexError, type TinkexErrorCode, type TinkexErrorInfo } from "./tinkex-error.js";
export type { Tokenizer } from "./tokenizer.js";
export { visibleText } from "./visible-text.js";
