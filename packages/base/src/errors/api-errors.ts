import type { RequestErrorCategory } from "./request-error-category.js";
import { TinkexError, type TinkexErrorCode, type TinkexErrorInfo } from "./tinkex-error.js";

/** An argument is wrong. Thrown before any byte is sent; the message names the place and the remedy. */
export class ValidationError extends TinkexError {
  static override readonly name: string = "ValidationError";

  /** Place of the fault in the argument, e.g. `["data", 3, "loss_fn_inputs", "weights"]`. */
  readonly path: readonly (string | number)[];

  constructor(
    message: string,
    info: { readonly path?: readonly (string | number)[]; readonly cause?: unknown } = {},
  ) {
    super(message, { code: "validation_failed", cause: info.cause });
    this.path = info.path ?? [];
  }
}

/** A try of a call that failed and was followed by another. */
export interface FailedTry {
  /** Fault in a few words, e.g. `answered 503` or `ECONNRESET`. */
  readonly what: string;
  /** The pause after it, in milliseconds. */
  readonly pauseMs: number;
  /**
   * Says that the service may have done what was asked all the same: the answer was lost, or was an error of the server. False
   * when no connection came about, or the request was refused.
   */
  readonly mayHaveArrived: boolean;
}

/** The service answered with an error status. */
export class ApiStatusError extends TinkexError {
  static override readonly name: string = "ApiStatusError";

  readonly status: number;
  /** The body as parsed JSON, or its text (shortened) when it is not JSON. */
  readonly body: unknown;
  /** Number of times the request was sent. */
  readonly attempts: number;
  /** The last few tries before this one, oldest first. */
  readonly earlierTries: readonly FailedTry[];
  /** The service's id of this exchange (`x-request-id`), for a report to its operators. */
  readonly requestId: string | undefined;
  /** Pause that the service asked for before another try, a minute at most, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Says that the service may have done what was asked all the same: false for a refusal (4xx) that no doubtful try came before. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    info: TinkexErrorInfo & {
      readonly status: number;
      readonly body: unknown;
      readonly attempts: number;
      readonly earlierTries?: readonly FailedTry[];
      readonly requestId?: string | undefined;
      readonly retryAfterMs?: number | undefined;
    },
  ) {
    super(message, info);
    this.status = info.status;
    this.body = info.body;
    this.attempts = info.attempts;
    this.earlierTries = info.earlierTries ?? [];
    this.requestId = info.requestId;
    this.retryAfterMs = info.retryAfterMs;
    const isRefusal = info.status >= 400 && info.status < 500;
    this.mayHaveArrived = !isRefusal || this.earlierTries.some((each) => each.mayHaveArrived);
  }
}

/** No answer came: the connection could not be made or broke. */
export class ConnectionError extends TinkexError {
  static override readonly name: string = "ConnectionError";

  readonly attempts: number;
  /** The last few tries before this one, oldest first. */
  readonly earlierTries: readonly FailedTry[];
  /** Says that the service may have done what was asked all the same: false when no try got a connection. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    info: {
      readonly attempts: number;
      readonly earlierTries?: readonly FailedTry[];
      /** @defaultValue true */
      readonly mayHaveArrived?: boolean | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, { code: "connection_failed", retryable: true, cause: info.cause });
    this.attempts = info.attempts;
    this.earlierTries = info.earlierTries ?? [];
    this.mayHaveArrived = info.mayHaveArrived ?? true;
  }
}

/** A time limit ran out: the caller's `timeoutMs`, or that of one try. */
export class TimeoutError extends TinkexError {
  static override readonly name: string = "TimeoutError";

  readonly timeoutMs: number;
  /** The server's id of the work waited for, when it was known. */
  readonly requestId: string | undefined;
  /** Requests sent for the call, where the limit was that of a try. */
  readonly attempts: number | undefined;
  /** The last few tries that failed before the limit ran out, oldest first. */
  readonly earlierTries: readonly FailedTry[];
  /** Says that the service may have done what was asked all the same: false when no try got a connection. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    info: {
      readonly timeoutMs: number;
      readonly requestId?: string | undefined;
      readonly attempts?: number;
      readonly earlierTries?: readonly FailedTry[];
      /** @defaultValue true */
      readonly mayHaveArrived?: boolean | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, { code: "timed_out", retryable: true, cause: info.cause });
    this.timeoutMs = info.timeoutMs;
    this.requestId = info.requestId;
    this.attempts = info.attempts;
    this.earlierTries = info.earlierTries ?? [];
    this.mayHaveArrived = info.mayHaveArrived ?? true;
  }
}

/** The caller's `signal` fired; `cause` is its reason. Never retried. */
export class AbortedError extends TinkexError {
  static override readonly name: string = "AbortedError";

  /** Says that the service may have done what was asked all the same: false when nothing had reached it yet. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    info: {
      readonly cause?: unknown;
      /** @defaultValue true */
      readonly mayHaveArrived?: boolean | undefined;
    } = {},
  ) {
    super(message, { code: "aborted", cause: info.cause });
    this.mayHaveArrived = info.mayHaveArrived ?? true;
  }
}

/** The client, or the server it belongs to, was closed while the call was under way or before it was made. */
export class ClosedError extends TinkexError {
  static override readonly name: string = "ClosedError";

  constructor(message: string) {
    super(message, { code: "closed" });
  }
}

/** The service accepted the work and the work failed there. */
export class RequestFailedError extends TinkexError {
  static override readonly name: string = "RequestFailedError";

  readonly requestId: string;
  readonly category: RequestErrorCategory;
  /** The category in the service's own word, when it is none of ours and so reads `unknown`. */
  readonly rawCategory: string | undefined;

  constructor(
    message: string,
    info: {
      readonly requestId: string;
      readonly category: RequestErrorCategory;
      readonly rawCategory?: string | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, { code: "request_failed", cause: info.cause });
    this.requestId = info.requestId;
    this.category = info.category;
    this.rawCategory = info.rawCategory;
  }
}

/** The answer is not what the API promises. */
export class ResponseError extends TinkexError {
  static override readonly name: string = "ResponseError";

  constructor(
    message: string,
    info: {
      readonly code?: Extract<TinkexErrorCode, "response_invalid" | "decode_failed">;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { code: info.code ?? "response_invalid", cause: info.cause });
  }
}

/** This server generation lacks a feature. */
export class UnsupportedByServerError extends TinkexError {
  static override readonly name: string = "UnsupportedByServerError";

  readonly feature: string;

  constructor(message: string, info: { readonly feature: string; readonly cause?: unknown }) {
    super(message, { code: "unsupported_by_server", cause: info.cause });
    this.feature = info.feature;
  }
}
