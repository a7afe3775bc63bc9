import { ValidationError } from "@tinkex/base";
import { isStreamed } from "../body/streamed-body.js";
import type { Operation } from "../operations/operations.js";
import type { TinkexCall } from "../transport-call.js";

/**
 * Lower-case names and their values in turn, as undici takes them. An object instead of this list costs some five
 * microseconds a request, a tenth of what the whole request costs.
 */
export type HeaderList = readonly string[];

const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const BAD_VALUE = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;

/** The value of a header. */
export function headerOf(list: HeaderList, name: string): string | undefined {
  for (let i = 0; i < list.length; i += 2) if (list[i] === name) return list[i + 1];
  return undefined;
}

/** Sets a header in place; a second value replaces the first. */
export function setHeader(list: string[], name: string, value: string): void {
  for (let i = 0; i < list.length; i += 2) {
    if (list[i] === name) {
      list[i + 1] = value;
      return;
    }
  }
  list.push(name, value);
}

/** The headers whose names `keep` accepts. */
export function filterHeaders(list: HeaderList, keep: (name: string) => boolean): string[] {
  return list.filter((_, i) => keep(list[i - (i % 2)] ?? ""));
}

/**
 * Sets headers as a user gives them, whatever the case of their names.
 *
 * @throws ValidationError for a name or value that no request may carry; the value is not shown, it may be secret
 */
export function setGivenHeaders(list: string[], given: Readonly<Record<string, string>> | undefined): void {
  if (given === undefined) return;
  for (const [anyCase, value] of Object.entries(given)) {
    const name = anyCase.toLowerCase();
    if (!NAME.test(name) || typeof value !== "string" || BAD_VALUE.test(value)) {
      throw new ValidationError(
        `the header ${JSON.stringify(anyCase)} has a character that is not allowed in its name or value`,
        { path: ["headers", anyCase] },
      );
    }
    setHeader(list, name, value);
  }
}

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
