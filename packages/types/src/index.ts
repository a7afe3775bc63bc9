export {
  AbortedError,
  ApiStatusError,
  ClosedError,
  ConnectionError,
  RequestFailedError,
  ResponseError,
  TimeoutError,
  UnsupportedByServerError,
  ValidationError,
} from "./api-errors.js";
export type { Clock } from "./clock.js";
export type { HttpTransport, TransportCall, TransportResponse } from "./http-transport.js";
export type { Logger } from "./logger.js";
export type { RequestErrorCategory } from "./request-error-category.js";
export { TinkexError, type TinkexErrorCode, type TinkexErrorInfo } from "./tinkex-error.js";
export type { Tokenizer } from "./tokenizer.js";
