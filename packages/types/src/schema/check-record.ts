import { ResponseError, ValidationError } from "../api-errors.js";
import { formatPath } from "./format-path.js";
import type { CheckIssue, RecordSchema } from "./record-schema.js";

/**
 * Checks a record that is to be sent and gives it back with its defaults untouched.
 *
 * @param what names the record in the message, e.g. `SamplingParams`
 * @throws ValidationError with the path of the first fault; the message lists up to three
 */
export function checkSent<Value>(schema: RecordSchema<Value>, value: unknown, what: string): Value {
  const outcome = runSchema(schema, value);
  if (outcome.issues === undefined) return outcome.value;
  throw new ValidationError(describe(what, outcome.issues), { path: pathOf(outcome.issues[0]) });
}

/**
 * Checks a record that was received.
 *
 * @throws ResponseError (`response_invalid`) that names the record and the field
 */
export function checkReceived<Value>(schema: RecordSchema<Value>, value: unknown, what: string): Value {
  const outcome = runSchema(schema, value);
  if (outcome.issues === undefined) return outcome.value;
  throw new ResponseError(describe(what, outcome.issues));
}

function runSchema<Value>(schema: RecordSchema<Value>, value: unknown) {
  const outcome = schema["~standard"].validate(value);
  // All schemas of this package are synchronous; a foreign one may not be.
  if (outcome instanceof Promise) throw new TypeError("an asynchronous schema cannot check a record");
  return outcome;
}

const SHOWN_ISSUES = 3;

function describe(what: string, issues: readonly CheckIssue[]): string {
  const shown = issues.slice(0, SHOWN_ISSUES).map((issue) => {
    const place = formatPath(pathOf(issue));
    return place === "" ? issue.message : `${place}: ${issue.message}`;
  });
  const more = issues.length > SHOWN_ISSUES ? ` (and ${issues.length - SHOWN_ISSUES} more)` : "";
  return `${what}: ${shown.join("; ")}${more}`;
}

function pathOf(issue: CheckIssue | undefined): (string | number)[] {
  return (issue?.path ?? []).map((part) => {
    const key = typeof part === "object" ? part.key : part;
    return typeof key === "number" ? key : String(key);
  });
}
