import { ApiStatusError, type TinkexErrorCode } from "@tinkex/base";
import type { HubFile } from "./hub-client.js";

/** Meanings of the hub's refusals, and remedies. */
const REFUSALS: Readonly<Record<number, { readonly code: TinkexErrorCode; readonly remedy: string }>> = {
  401: {
    code: "authentication_failed",
    remedy:
      "it does not exist, or is private or gated; check the name, else set HF_TOKEN to a token that may read it",
  },
  403: {
    code: "permission_denied",
    remedy: "it is gated; accept its terms on its page with the account of your HF_TOKEN",
  },
  404: { code: "not_found", remedy: "check the name and the revision" },
  429: { code: "rate_limited", remedy: "wait a little, or set HF_TOKEN" },
};

/**
 * The error for an answer in which the hub refuses a file.
 *
 * @param attempts - number of times the request was sent
 */
export function hubStatusError(
  file: HubFile,
  response: Response,
  endpoint: string,
  attempts: number,
): ApiStatusError {
  const { status } = response;
  const fallback: { code: TinkexErrorCode; remedy: string } =
    status >= 500
      ? { code: "server_error", remedy: "try again later" }
      : { code: "bad_request", remedy: "check the name and the revision" };
  const { code, remedy } = REFUSALS[status] ?? fallback;
  return new ApiStatusError(
    `${endpoint} answered ${status} for ${file.name} of ${file.id} at revision ${file.revision}: ${remedy}`,
    {
      code,
      status,
      body: response.headers.get("x-error-message"),
      attempts,
      retryable: status === 429 || status >= 500,
    },
  );
}
