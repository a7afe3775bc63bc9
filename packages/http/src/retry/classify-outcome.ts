import type { TransportCall } from "@tinkex/base";
import { errorCode } from "../errors/error-code.js";
import { isLoginRefused } from "../errors/network-error.js";
import { RETRIED_REFUSALS } from "../errors/status-error.js";
import type { Answer, TryOutcome } from "../errors/try-outcome.js";
import { UnreadableAnswer } from "../errors/unreadable-answer.js";
import type { Operation } from "../operations/operations.js";
import { parseRetryHint, type RetryHint } from "./retry-hint.js";

/** Decision about a failed try: whether another may mend it, and the pause the service asked for before it. */
export interface Verdict {
  readonly canRetry: boolean;
  readonly hint?: RetryHint;
}

const FINAL: Verdict = { canRetry: false };

/** Codes of failures that sending again cannot heal: the certificate is wrong, or the request itself. */
const HOPELESS_CODES =
  /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_INVALID|UND_ERR_(INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH)|HPE_INVALID_URL)/;

/**
 * Tells whether an outcome is what the caller wants.
 *
 * @param returned - statuses that the caller reads itself
 */
export function isSuccess(
  outcome: TryOutcome,
  operation: Operation,
  returned: readonly number[] | undefined,
): outcome is Answer {
  if (outcome.kind !== "answer") return false;
  const { status } = outcome;
  if (status >= 200 && status < 300) return true;
  return (status === 302 && operation.redirect === "return") || returned?.includes(status) === true;
}

/** Gives the outcome as the retry loop should see it: a success that its caller cannot read is a broken exchange. */
export function asRead(outcome: TryOutcome, { isReadable }: Pick<TransportCall, "isReadable">): TryOutcome {
  if (isReadable === undefined || outcome.kind !== "answer") return outcome;
  const { status, body } = outcome;
  if (status < 200 || status >= 300 || isReadable(body)) return outcome;
  return { kind: "broken", cause: new UnreadableAnswer(outcome), isStaleConnection: false };
}

/**
 * Decides about the outcome of a try that is no success. `x-should-retry` from the server wins over the rules for statuses.
 *
 * @param finalStatuses - statuses that waiting cannot mend for this call, besides those of the operation
 */
export function classifyFailure(
  outcome: TryOutcome,
  operation: Operation,
  nowMs: number,
  finalStatuses: readonly number[] = [],
): Verdict {
  if (outcome.kind !== "answer") {
    const isFinal = outcome.kind === "broken" && isHopeless(outcome.cause);
    return { canRetry: operation.idempotent !== "no" && !isFinal };
  }
  const { status, headers } = outcome;
  const final = [...(operation.finalStatuses ?? []), ...finalStatuses];
  if (!shouldRetry(status, headers["x-should-retry"], final)) return FINAL;
  const hint = parseRetryHint(headers, nowMs);
  return hint === undefined ? { canRetry: true } : { canRetry: true, hint };
}

function shouldRetry(status: number, wish: string | undefined, finalStatuses: readonly number[]): boolean {
  if (wish === "true") return true;
  if (wish === "false") return false;
  if (finalStatuses.includes(status)) return false;
  return RETRIED_REFUSALS.includes(status) || (status >= 500 && status < 600);
}

function isHopeless(cause: unknown): boolean {
  // A proxy takes the same login no better the next time, and may lock the account that is tried so often.
  return HOPELESS_CODES.test(errorCode(cause) ?? "") || isLoginRefused(cause);
}
