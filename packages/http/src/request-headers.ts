import { type TransportCall, ValidationError } from "@tinkex/types";
import type { Operation } from "./operation.js";

/** Lower-case names and their values. */
export type Headers = Readonly<Record<string, string>>;

const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const BAD_VALUE = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;

/**
 * Later ones win, whatever the case of their names.
 *
 * @throws ValidationError for a name or value that no request may carry; the value is not shown, it may be secret
 */
export function mergeHeaders(...layers: readonly (Headers | undefined)[]): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const layer of layers) {
    for (const [given, value] of Object.entries(layer ?? {})) {
      const name = given.toLowerCase();
      if (!NAME.test(name) || typeof value !== "string" || BAD_VALUE.test(value)) {
        throw new ValidationError(
          `the header ${JSON.stringify(given)} has a character that is not allowed in its name or value`,
          { path: ["headers", given] },
        );
      }
      merged[name] = value;
    }
  }
  return merged;
}

/** The headers of one call; those of a try are set on top of them. */
export function callHeaders(
  defaults: Headers,
  operation: Operation,
  call: TransportCall,
  newIdempotencyKey: () => string,
): Record<string, string> {
  const headers: Record<string, string> = { ...defaults, accept: call.accept ?? "application/json" };
  if (call.body !== undefined) headers["content-type"] = call.contentType ?? "application/json";
  const { totalMs, headersMs } = operation.timeouts;
  headers["x-stainless-read-timeout"] = String((totalMs ?? headersMs) / 1000);
  if (call.headers !== undefined) Object.assign(headers, mergeHeaders(call.headers));
  if (operation.idempotent === "key") headers["x-idempotency-key"] ??= newIdempotencyKey();
  return headers;
}
