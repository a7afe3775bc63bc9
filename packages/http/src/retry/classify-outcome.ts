import { errorCode } from "../errors/error-code.js";
import type { TryOutcome } from "../errors/try-outcome.js";
import type { Operation } from "../operations/operations.js";
import { parseRetryHint, type RetryHint } from "./retry-hint.js";

/** What to do about the outcome of a try. */
export type Verdict =
  | { readonly kind: "success" }
  | { readonly kind: "failure"; readonly retry: false }
  | { readonly kind: "failure"; readonly retry: true; readonly hint?: RetryHint };

const SUCCESS: Verdict = { kind: "success" };
const FINAL: Verdict = { kind: "failure", retry: false };

/** Codes of failures that sending again cannot heal: the certificate is wrong, or the request itself. */
const HOPELESS_CODES =
  /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_INVALID|UND_ERR_(INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH)|HPE_INVALID_URL)/;

/**
 * Decides about one outcome. `x-should-retry` from the server wins over the rules for statuses.
 *
 * @param returned - statuses that the caller reads itself
 */
export function classifyOutcome(
  outcome: TryOutcome,
  operation: Operation,
  returned: readonly number[],
  nowMs: number,
): Verdict {
  if (outcome.kind === "timed_out") return { kind: "failure", retry: operation.idempotent !== "no" };
  if (outcome.kind === "broken") {
    return { kind: "failure", retry: operation.idempotent !== "no" && !isHopeless(outcome.cause) };
  }
  const { status, headers } = outcome;
  if (isSuccess(status, operation) || returned.includes(status)) return SUCCESS;
  if (!shouldRetry(status, headers["x-should-retry"], operation)) return FINAL;
  const hint = parseRetryHint(headers, nowMs);
  return hint === undefined ? { kind: "failure", retry: true } : { kind: "failure", retry: true, hint };
}

function isSuccess(status: number, operation: Operation): boolean {
  return (status >= 200 && status < 300) || (status === 302 && operation.redirect === "return");
}

function shouldRetry(status: number, wish: string | undefined, operation: Operation): boolean {
  if (wish === "true") return true;
  if (wish === "false") return false;
  if (operation.finalStatuses?.includes(status)) return false;
  return status === 408 || status === 409 || status === 429 || (status >= 500 && status < 600);
}

function isHopeless(cause: unknown): boolean {
  const code = errorCode(cause);
  return code !== undefined && HOPELESS_CODES.test(code);
}
