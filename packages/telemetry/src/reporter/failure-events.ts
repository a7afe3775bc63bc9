import {
  ApiStatusError,
  ConnectionError,
  RequestFailedError,
  ResponseError,
  TimeoutError,
} from "@tinkex/base";
import type { FailedAttempt, FailedRequestTry, FailedResult, Severity } from "@tinkex/types";
import { type ErrorFacts, errorFacts, statusName } from "./error-facts.js";
import { isUserStatus, userErrorIn } from "./user-error.js";

/** An event before it has an id and a place. */
export type EventContent =
  | {
      readonly event: "GENERIC_EVENT";
      readonly severity: Severity;
      readonly name: string;
      readonly data: Readonly<Record<string, unknown>>;
    }
  | {
      readonly event: "UNHANDLED_EXCEPTION";
      readonly severity: Severity;
      readonly type: string;
      readonly message: string;
    };

/**
 * Endpoints whose failed tries are no event: those of the session's own, and what would report itself. The official SDK tells of
 * neither.
 */
const QUIET = new Set([
  "healthz",
  "client_config",
  "client_dynamic_config",
  "auth_token",
  "telemetry",
  "create_session",
  "session_heartbeat",
  "finish_session",
  "cancel_future",
]);

/** Endpoints that ask for results. */
const POLLS = new Set(["retrieve_future", "retrieve_futures"]);

/** Makes the event of a failed try; `undefined` for one that nobody wants to hear of. */
export function tryEvent(failure: FailedRequestTry, nowMs: number): EventContent | undefined {
  if (QUIET.has(failure.endpoint)) return undefined;
  if (POLLS.has(failure.endpoint)) return pollEvent(failure);
  const { method, endpoint, attempt, isRepeated } = failure;
  const facts = tryFacts(failure);
  const isUserError = facts.status !== undefined && isUserStatus(facts.status);
  return generic(
    "InternalClientHolder.execute_with_retries.exception",
    isRepeated || isUserError ? "WARNING" : "ERROR",
    {
      func: method ?? endpoint,
      ...exception(facts),
      exception_stack: null,
      status_code: facts.status ?? null,
      is_retryable: isRepeated,
      is_user_error: isUserError,
      attempt_count: attempt - 1,
      ...times(failure.elapsedMs, nowMs),
    },
  );
}

/** Makes the event of a poll that brought no word of the API's. A shared poll is of no single result, and has none of its fields. */
function pollEvent(failure: FailedRequestTry): EventContent {
  const { status, poll, elapsedMs } = failure;
  const facts = tryFacts(failure);
  const kind = pollKind(status);
  const name = status === undefined ? "connection_error" : "api_status_error";
  return generic(`APIFuture.result_async.${name}`, kind === "fatal" || status === 400 ? "ERROR" : "WARNING", {
    request_id: poll?.requestId ?? null,
    request_type: poll?.requestType ?? null,
    status_code: status ?? 0,
    ...exception(facts),
    kind,
    is_user_error: status !== undefined && isUserStatus(status),
    iteration: poll?.iteration ?? 0,
    elapsed_time: elapsedMs / 1000,
  });
}

/** The official SDK's words for what becomes of a poll that failed. */
function pollKind(status: number | undefined): string {
  if (status === undefined) return "retry_with_backoff";
  if (status === 408) return "retry";
  if (status === 429 || status >= 500) return "retry_with_backoff";
  return status === 400 ? "retry_if_budget" : "fatal";
}

/** Names of the service's words for whose fault a failure is, as the official SDK writes them. */
const CATEGORIES = { unknown: "Unknown", server: "Server", user: "User" } as const;

/** Makes the event of a wait that ended without a result; `undefined` where its polls have told of it. */
export function resultEvent({
  requestId,
  requestType,
  error,
  iteration,
  elapsedMs,
}: FailedResult): EventContent | undefined {
  const place = { request_id: requestId, request_type: requestType };
  const time = { iteration, elapsed_time: elapsedMs / 1000 };
  if (error instanceof RequestFailedError) {
    const isUserError = error.category === "user";
    return generic("APIFuture.result_async.application_error", isUserError ? "WARNING" : "ERROR", {
      ...place,
      error: "Request failed",
      error_category: CATEGORIES[error.category],
      is_user_error: isUserError,
      ...time,
    });
  }
  if (error instanceof TimeoutError) {
    return generic("APIFuture.result_async.timeout", "ERROR", {
      ...place,
      timeout: error.timeoutMs / 1000,
      ...time,
    });
  }
  if (!(error instanceof ResponseError)) return undefined;
  if (error.code === "decode_failed") {
    return generic("APIFuture.result_async.proto_deserialization_error", "ERROR", {
      ...place,
      ...exception(errorFacts(error)),
      proto_bytes_len: null,
      model_cls: null,
      ...time,
    });
  }
  return generic("APIFuture.result_async.validation_error", "ERROR", {
    ...place,
    ...exception(errorFacts(error)),
    exception_stack: null,
    model_cls: null,
    ...time,
  });
}

/** Makes the event of an attempt at a sample that failed. */
export function attemptEvent(failure: FailedAttempt, nowMs: number): EventContent {
  const { method, error, attempt, isRepeated, elapsedMs } = failure;
  const isUserError = userErrorIn(error) !== undefined;
  const facts = errorFacts(error);
  return generic("RetryHandler.execute.exception", isRepeated || isUserError ? "WARNING" : "ERROR", {
    func: method,
    ...exception(facts),
    exception_stack: null,
    status_code: facts.status ?? null,
    should_retry: isRepeated,
    is_user_error: isUserError,
    attempt_count: attempt,
    ...times(elapsedMs, nowMs),
  });
}

/** Makes the event of an error: a warning where its caller can mend it, whatever severity was asked. */
export function exceptionEvent(error: unknown, severity: Severity): EventContent {
  const facts = errorFacts(error);
  const userError = userErrorIn(error);
  if (userError === undefined) {
    return { event: "UNHANDLED_EXCEPTION", severity, type: facts.type, message: facts.text };
  }
  return generic("user_error", "WARNING", {
    error_type: facts.type,
    ...(facts.text === "" ? {} : { message: facts.text }),
    ...(userError.status === undefined ? {} : { status_code: userError.status }),
  });
}

function tryFacts({ status, error }: FailedRequestTry): ErrorFacts {
  if (error instanceof ApiStatusError) return errorFacts(error);
  if (status === undefined) {
    // Of a try that is followed by another nobody has made an error.
    return errorFacts(error ?? new ConnectionError("", { attempts: 1 }));
  }
  return { type: statusName(status), text: `Error code: ${status}`, status };
}

function exception({ text, type }: ErrorFacts) {
  return { exception: text, exception_type: type };
}

function times(elapsedMs: number, nowMs: number) {
  return {
    start_time: (nowMs - elapsedMs) / 1000,
    current_time: nowMs / 1000,
    elapsed_time: elapsedMs / 1000,
  };
}

function generic(name: string, severity: Severity, data: Readonly<Record<string, unknown>>): EventContent {
  return { event: "GENERIC_EVENT", severity, name, data };
}
