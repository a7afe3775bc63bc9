import { checkKnownNames, checkTimeoutMs, ValidationError, type WaitLimits } from "@tinkex/base";

/**
 * Options of one call. Aborting the signal, or reaching the limit, ends the operation here at once; what was sent by then the
 * service may still carry out.
 */
export interface CallOptions extends WaitLimits {}

/** The names of {@link CallOptions}, for {@link checkOptions}. */
export const CALL_OPTIONS: Readonly<Record<keyof CallOptions, true>> = { signal: true, timeoutMs: true };

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
    throw new ValidationError(`the options of ${method} must be an object, got a list`, { path: [method] });
  }
  checkKnownNames(options, known, `the options of ${method}`);
  const { signal, timeoutMs } = options;
  if (signal !== undefined && !isSignal(signal)) {
    throw new ValidationError(`${method}: signal must be an AbortSignal, got ${describeSignal(signal)}`, {
      path: ["signal"],
    });
  }
  if (timeoutMs !== undefined && typeof timeoutMs !== "number") {
    throw new ValidationError(
      `${method}: timeoutMs must be a number of milliseconds, got ${typeof timeoutMs}`,
      {
        path: ["timeoutMs"],
      },
    );
  }
  checkTimeoutMs(timeoutMs);
}

/** Signals of another realm or of a polyfill count too. */
function isSignal(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "aborted" in value &&
    typeof value.aborted === "boolean" &&
    "addEventListener" in value &&
    typeof value.addEventListener === "function"
  );
}

function describeSignal(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return "signal" in value ? "an AbortController: pass its .signal" : "an object that is none";
}

/**
 * Checks that an argument is an object with named fields, which plain JavaScript may leave out or pass otherwise.
 *
 * @param name - what the caller knows the argument by
 * @param example - a value that would do, for the message
 * @throws ValidationError
 */
export function checkObject(value: unknown, name: string, example: string): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  const got = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  throw new ValidationError(`${name} must be an object, e.g. ${example}; got ${got}`, { path: [name] });
}
