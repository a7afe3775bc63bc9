import {
  checkKnownNames,
  checkObject,
  checkTimeoutMs,
  describeKind,
  ValidationError,
  type WaitLimits,
} from "@tinkex/base";
import { isHeader } from "@tinkex/http";

/**
 * Options of one call. Aborting the signal, or reaching the limit, ends the operation here at once; what was sent by then the
 * service may still carry out.
 */
export interface CallOptions extends WaitLimits {
  /** Sent with each request of the call, polls included, by name; they win over the headers of the service client. @defaultValue none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The names of {@link WaitLimits}. */
export const WAIT_LIMITS: Readonly<Record<keyof WaitLimits, true>> = { signal: true, timeoutMs: true };

/** The names of {@link CallOptions}, for {@link checkOptions}. */
export const CALL_OPTIONS: Readonly<Record<keyof CallOptions, true>> = { ...WAIT_LIMITS, headers: true };

/**
 * Checks the last argument of a method: a misspelt option would be ignored, and a limit that nobody reads never ends anything.
 *
 * @param known - every name that is read
 * @param method - the method as its caller spells it, e.g. `optimStep`
 * @throws ValidationError
 */
export function checkOptions<Options extends CallOptions>(
  options: Options,
  known: Readonly<Record<keyof Options & string, true>>,
  method: string,
): void {
  if (Array.isArray(options)) {
    throw new ValidationError(`the options of ${method} must be an object, got an array`, { path: [method] });
  }
  checkKnownNames(options, known, `the options of ${method}`);
  const { signal, timeoutMs, headers } = options;
  if (signal !== undefined && !isSignal(signal)) {
    throw new ValidationError(`${method}: signal must be an AbortSignal, got ${describeSignal(signal)}`, {
      path: ["signal"],
    });
  }
  if (timeoutMs !== undefined) checkTimeout(timeoutMs, method);
  if (headers !== undefined) checkHeaders(headers, method);
}

/** @throws ValidationError for a limit that is no number of milliseconds above 0 */
export function checkTimeout(timeoutMs: number | undefined, method: string): void {
  if (timeoutMs !== undefined && typeof timeoutMs !== "number") {
    throw new ValidationError(
      `${method}: timeoutMs must be a number of milliseconds, got ${describeKind(timeoutMs)}`,
      { path: ["timeoutMs"] },
    );
  }
  checkTimeoutMs(timeoutMs);
}

/** Headers that say how one body travels, or what one request is; given for many they would break each. */
const OWN_HEADERS: readonly string[] = [
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "host",
  "transfer-encoding",
  "x-idempotency-key",
];

/** @throws ValidationError for headers that no request may carry; values are not shown, they may be secret */
export function checkHeaders(headers: CallOptions["headers"], method: string): void {
  if (headers === undefined) return;
  checkObject(headers, `${method}: headers`, '{ "x-team": "a" }');
  for (const [name, value] of Object.entries(headers)) {
    const path = ["headers", name];
    const shown = JSON.stringify(name);
    if (OWN_HEADERS.includes(name.toLowerCase())) {
      throw new ValidationError(`${method}: headers must not have ${shown}, which belongs to each request`, {
        path,
      });
    }
    if (typeof value !== "string") {
      const got = describeKind(value);
      throw new ValidationError(`${method}: the header ${shown} must be a string, got ${got}`, { path });
    }
    if (isHeader(name, value)) continue;
    throw new ValidationError(
      `${method}: the header ${shown} has a character that is not allowed in its name or value`,
      { path },
    );
  }
}

/** Signals of another realm or of a polyfill count too. */
function isSignal(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "aborted" in value &&
    typeof value.aborted === "boolean" &&
    "addEventListener" in value &&
    typeof value.addEventListener === "function" &&
    "removeEventListener" in value &&
    typeof value.removeEventListener === "function"
  );
}

function describeSignal(value: unknown): string {
  if (typeof value !== "object" || value === null) return describeKind(value);
  return "signal" in value ? "an AbortController: pass its .signal" : "an object that is none";
}
