import { ApiStatusError, type FailedTry, type TinkexErrorCode } from "@tinkex/base";
import { shownText } from "../hooks/shown-text.js";
import { readErrorBody } from "./error-body.js";
import type { Answer } from "./try-outcome.js";

/** Statuses with a word of their own. */
const STATUSES: Readonly<Record<number, { readonly code: TinkexErrorCode; readonly reason: string }>> = {
  400: { code: "bad_request", reason: "Bad Request" },
  401: { code: "authentication_failed", reason: "Unauthorized" },
  402: { code: "billing_required", reason: "Payment Required" },
  403: { code: "permission_denied", reason: "Forbidden" },
  404: { code: "not_found", reason: "Not Found" },
  408: { code: "bad_request", reason: "Request Timeout" },
  409: { code: "conflict", reason: "Conflict" },
  410: { code: "gone", reason: "Gone" },
  422: { code: "unprocessable", reason: "Unprocessable Content" },
  425: { code: "bad_request", reason: "Too Early" },
  429: { code: "rate_limited", reason: "Too Many Requests" },
  500: { code: "server_error", reason: "Internal Server Error" },
  502: { code: "server_error", reason: "Bad Gateway" },
  503: { code: "server_error", reason: "Service Unavailable" },
  504: { code: "server_error", reason: "Gateway Timeout" },
};

/** Remedies for a status; the others explain themselves. */
const REMEDIES: Readonly<Record<number, string>> = {
  401: "check the API key (TINKER_API_KEY)",
  402: "the account cannot pay for this now; see the billing page of the console",
  403: "this key may not do that",
  404: "check the name, and that TINKER_BASE_URL points at a Tinker API",
};

/** Longest id of a request that is kept, in characters; a UUID has 36. */
const MAX_REQUEST_ID = 200;

/** Gives the stable enum value for an error status. */
export function statusCodeWord(status: number): TinkexErrorCode {
  return STATUSES[status]?.code ?? (status >= 500 ? "server_error" : "bad_request");
}

/** Refusals that pass by themselves: 425 says "later", as the thing asked for is still being made. */
export const RETRIED_REFUSALS: readonly number[] = [408, 409, 425, 429];

/** Tells whether the same call may succeed later, unchanged. */
function isPassing(status: number): boolean {
  return status === 402 || RETRIED_REFUSALS.includes(status) || status >= 500;
}

/** Tells a 404 that no API has written, or only its router: an API that knows the path says what it has not found. */
function isBare(body: unknown): boolean {
  if (typeof body !== "object" || body === null || !("detail" in body)) return true;
  return body.detail === "Not Found";
}

/** Facts that the error of a failed call tells of, besides its outcome. */
export interface CallFacts {
  readonly operation: string;
  readonly baseUrl: string;
  /** The proxy that requests go through, without its password. */
  readonly proxy?: string | undefined;
  readonly attempts: number;
  readonly earlierTries: readonly FailedTry[];
  /** Reason why the request was not sent again although that might have helped; a clause. */
  readonly notRepeated?: string | undefined;
  /** Statuses that waiting cannot mend for this operation. */
  readonly finalStatuses: readonly number[];
  /** Tells whether any try may have reached the service. @defaultValue true */
  readonly mayHaveArrived?: boolean | undefined;
  /** Pause that the service asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Credentials that must not be quoted from the server's words. */
  readonly secrets: readonly string[];
}

/** Makes the error for an answer that is not a success. */
export function statusError(answer: Answer, facts: CallFacts): ApiStatusError {
  const { status } = answer;
  const { operation, baseUrl, attempts, earlierTries } = facts;
  const { value, summary } = readErrorBody(answer.body, facts.secrets);
  const requestId = answer.headers["x-request-id"];
  const known = STATUSES[status];
  const reason = known === undefined ? "" : ` ${known.reason}`;
  const said = summary === "" ? "" : `: ${summary}`;
  const tries = attempts === 1 ? "" : ` after ${attempts} tries`;
  const mayPass = isPassing(status) && !facts.finalStatuses.includes(status);
  const remedyOfStatus = status === 404 && !isBare(value) ? undefined : REMEDIES[status];
  const advice = remedyOfStatus ?? (mayPass ? facts.notRepeated : undefined);
  const remedy = advice === undefined ? "" : `; ${advice}`;
  return new ApiStatusError(
    `${operation} at ${baseUrl} was answered ${status}${reason}${tries}${said}${remedy}`,
    {
      code: statusCodeWord(status),
      retryable: mayPass,
      status,
      body: value,
      attempts,
      earlierTries,
      retryAfterMs: facts.retryAfterMs,
      requestId: requestId === undefined ? undefined : shownText(requestId, facts.secrets, MAX_REQUEST_ID),
    },
  );
}
