export type { Release } from "@tinkex/base";
export { ByteBudget, Semaphore, WaitQueue } from "@tinkex/base";
export { checkApiKey } from "./auth/api-key.js";
export { type CredentialSource, credentialCommand } from "./auth/credential-command.js";
export { CredentialError } from "./auth/credential-error.js";
export {
  type CredentialStore,
  credentialStorePath,
  readCredentialStore,
  readStoredKey,
  removeStoredKey,
  type StoredKey,
  storeKey,
} from "./auth/credential-store.js";
export type { FormValue } from "./body/form-fields.js";
export type { FileContent, FileStream, FormFile } from "./body/form-file.js";
export { EventStreamError, type JsonEvent, type JsonEventReading, jsonEvents } from "./body/json-events.js";
export { type MultipartForm, multipartBody } from "./body/multipart-body.js";
export { type EventReading, type ServerSentEvent, serverSentEvents } from "./body/server-sent-events.js";
export { type RequestBody, RequestBodyError, type StreamedBody } from "./body/streamed-body.js";
export { type Compress, zstdCompressor } from "./body/zstd.js";
export { createTransport } from "./create-transport.js";
export { type DownloadOptions, type DownloadProgress, downloadFile } from "./download/download-file.js";
export { consoleLogger, type LogLevel, parseLogLevel } from "./hooks/console-logger.js";
export type { RequestEvent, ResponseEvent, RetryEvent, TransportHooks } from "./hooks/transport-hooks.js";
export type { TrafficCount } from "./limits/traffic.js";
export { OPERATIONS, type Operation } from "./operations/operations.js";
export { POLICIES } from "./operations/policies.js";
export type { Policy } from "./operations/policy.js";
export { POOL_LIMITS, type PoolName } from "./operations/policy.js";
export { PressureLimits, type PressureRules, type SubmitOutcome } from "./pressure/pressure-limits.js";
export { DEFAULT_BASE_URL, isLoopback, resolveBaseUrl } from "./request/base-url.js";
export { isHeader } from "./request/header-list.js";
export { parseRetryHint, type RetryHint } from "./retry/retry-hint.js";
export type { RetryOptions } from "./retry/retry-policy.js";
export { type ProxySettings, proxyFromEnvironment } from "./send/proxy.js";
export type { TinkexCall, TinkexTransport, TransportStats } from "./tinkex-transport.js";
export type { DispatcherLike, TransportOptions } from "./transport-options.js";
export { COMPATIBLE_SDK_VERSION, VERSION } from "./version.js";
