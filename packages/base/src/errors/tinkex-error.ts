import { visibleText } from "../text/visible-text.js";

/**
 * Kind of failure, as a stable enum value a program may switch on. Each code says who can mend it:
 *
 * - `validation_failed`: an argument is wrong; nothing was sent.
 * - `authentication_failed` (401), `permission_denied` (403): the key or what it may do.
 * - `bad_request` (400 and other 4xx), `not_found` (404), `conflict` (409), `gone` (410), `unprocessable` (422): the
 *   service refused the request.
 * - `billing_required` (402), `rate_limited` (429), `server_error` (5xx): the service cannot serve it now.
 * - `connection_failed`, `timed_out`: the network, or a time limit of the caller's.
 * - `aborted`: the caller's signal; `closed`: the client was closed.
 * - `request_failed`: the service accepted the work and it failed there.
 * - `response_invalid`: the answer is not what the API promises; `decode_failed`: its bytes do not decode.
 * - `unsupported_by_server`: this server generation lacks a feature.
 * - `sequence_broken`: part of a training call was accepted and part failed for good; the client must be replaced.
 * - `session_lost`: the service no longer knows the session or the model; go on from the last checkpoint.
 * - `missing_dependency`: an optional package is not installed.
 */
export type TinkexErrorCode =
  | "validation_failed"
  | "authentication_failed"
  | "permission_denied"
  | "bad_request"
  | "not_found"
  | "conflict"
  | "gone"
  | "unprocessable"
  | "billing_required"
  | "rate_limited"
  | "server_error"
  | "connection_failed"
  | "timed_out"
  | "aborted"
  | "closed"
  | "request_failed"
  | "response_invalid"
  | "decode_failed"
  | "unsupported_by_server"
  | "sequence_broken"
  | "session_lost"
  | "missing_dependency";

/** Properties of every {@link TinkexError}. */
export interface TinkexErrorInfo {
  readonly code: TinkexErrorCode;
  /** Says that the same call may succeed later, unchanged. @defaultValue false */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

const BRAND = Symbol.for("@tinkex/error");

/**
 * The root of all errors Tinkex throws. `error.name` is the name of its class, of a subclass of yours too. Ours are written
 * down as `static name`, since a minifier renames classes.
 */
export class TinkexError extends Error {
  static override readonly name: string = "TinkexError";

  readonly code: TinkexErrorCode;
  readonly retryable: boolean;

  constructor(message: string, info: TinkexErrorInfo) {
    // Servers, models and files have words in messages, and terminals obey what they should show.
    super(visibleText(message), info.cause === undefined ? undefined : { cause: info.cause });
    this.name = new.target.name;
    this.code = info.code;
    this.retryable = info.retryable ?? false;
    // Not enumerable, so that a logged error shows only what a person needs.
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** Recognises a Tinkex error from any installed copy of this package, where `instanceof` answers false. */
  static isInstance(value: unknown): value is TinkexError {
    return typeof value === "object" && value !== null && BRAND in value;
  }
}

/** The message of whatever was thrown, for a sentence that quotes it. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
