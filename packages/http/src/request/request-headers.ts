import { isStreamed } from "../body/streamed-body.js";
import type { Operation } from "../operations/operations.js";
import type { TinkexCall } from "../transport-call.js";
import { type HeaderList, headerOf, setGivenHeaders, setHeader } from "./header-list.js";

/** The headers of one call's first try: the transport's, those of the operation, and on top what the caller gave. */
export function callHeaders(
  defaults: HeaderList,
  operation: Operation,
  call: TinkexCall,
  newIdempotencyKey: () => string,
): HeaderList {
  const headers = defaults.slice();
  const { totalMs, headersMs } = operation.timeouts;
  if (call.accept !== undefined) setHeader(headers, "accept", call.accept);
  if (isStreamed(call.body)) {
    setHeader(headers, "content-type", call.body.contentType);
    setHeader(headers, "content-length", String(call.body.byteLength));
  } else if (call.body !== undefined) {
    setHeader(headers, "content-type", call.contentType ?? "application/json");
  }
  setHeader(headers, "x-stainless-retry-count", "0");
  setHeader(headers, "x-stainless-read-timeout", String((totalMs ?? headersMs) / 1000));
  setGivenHeaders(headers, call.headers);
  if (operation.idempotent === "key" && headerOf(headers, "x-idempotency-key") === undefined) {
    headers.push("x-idempotency-key", newIdempotencyKey());
  }
  return headers;
}
