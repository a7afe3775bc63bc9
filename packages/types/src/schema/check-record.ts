import {
  checkObject,
  describeValue,
  formatPath,
  ResponseError,
  UNKNOWN_FIELD,
  ValidationError,
} from "@tinkex/base";
import type * as z from "zod";
import type { Records } from "../records.js";
import { plainMessage } from "./plain-message.js";
import type { CheckIssue, CheckOutcome, RecordSchema } from "./record-schema.js";
import { type RecordName, recordSchemas } from "./record-schemas.js";

const schemas: { readonly [Name in RecordName]: RecordSchema<Records[Name]> } = recordSchemas;

/** Finds the schema of a record by its name, typed by the record. @throws ValidationError for a name that no record has */
export function schemaOf<Name extends RecordName>(name: Name): RecordSchema<Records[Name]> {
  if (typeof name === "string" && Object.hasOwn(schemas, name)) return schemas[name];
  throw new ValidationError(`schemaOf: there is no record ${describeValue(name)}`, { path: ["name"] });
}

/**
 * Checks a record that is to be sent and gives it back with its defaults untouched.
 *
 * @param what - name of the record in the message, e.g. `SamplingParams`
 * @throws ValidationError with the path of the first fault; the message lists up to three, misspelt fields first
 */
export function checkSent<Value>(schema: RecordSchema<Value>, value: unknown, what: string): Value {
  const outcome = checkRecord(schema, value);
  if (outcome.issues === undefined) return outcome.value;
  throw new ValidationError(describe(what, outcome.issues), { path: pathOf(outcome.issues[0]) });
}

/**
 * Checks a record that was received.
 *
 * @throws ResponseError (`response_invalid`) that names the record and the field
 */
export function checkReceived<Value>(schema: RecordSchema<Value>, value: unknown, what: string): Value {
  const outcome = checkRecord(schema, value);
  if (outcome.issues === undefined) return outcome.value;
  throw new ResponseError(describe(what, outcome.issues));
}

const UNCHECKABLE = {
  issues: [{ message: "cannot be checked: it refers to itself, or its schema is asynchronous" }],
} as const;

/**
 * Checks a record without throwing: the value, or all that is wrong with it, as a schema of another library wants it.
 *
 * @throws ValidationError when `schema` is none
 */
export function checkRecord<Value>(schema: RecordSchema<Value>, value: unknown): CheckOutcome<Value> {
  if (typeof schema !== "object" || schema === null) checkObject(schema, "schema", "samplingParamsSchema");
  try {
    if (isZodSchema(schema)) {
      const parsed = schema.safeParse(value, { error: plainMessage });
      return parsed.success ? { value: parsed.data } : { issues: parsed.error.issues };
    }
    if (!("~standard" in schema)) throw notASchema();
    const outcome = schema["~standard"].validate(value);
    if (!(outcome instanceof Promise)) return outcome;
    // The schema is asynchronous, which none of this package is. Nobody waits for it, so it must not go unhandled.
    outcome.catch(() => {});
    return UNCHECKABLE;
  } catch (cause) {
    // The end of the stack, in a value that refers to itself; or zod's word that a schema is asynchronous.
    if (
      cause instanceof RangeError ||
      (cause instanceof Error && cause.constructor.name === "$ZodAsyncError")
    )
      return UNCHECKABLE;
    throw cause;
  }
}

function notASchema(): ValidationError {
  return new ValidationError("schema must be a schema, e.g. samplingParamsSchema", { path: ["schema"] });
}

/** A schema that can be asked for messages in other words than zod's. */
type ZodSchema<Value> = RecordSchema<Value> & Pick<z.ZodType<Value, Value>, "safeParse">;

function isZodSchema<Value>(schema: RecordSchema<Value>): schema is ZodSchema<Value> {
  return "safeParse" in schema && typeof schema.safeParse === "function";
}

const MAX_SHOWN_ISSUES = 3;

function describe(what: string, issues: readonly CheckIssue[]): string {
  // A misspelt field comes first: it explains the one that is then missing.
  const misspelt = issues.filter(({ message }) => message.startsWith(UNKNOWN_FIELD));
  const others = issues.filter((issue) => !misspelt.includes(issue));
  const shown = [...misspelt, ...others].slice(0, MAX_SHOWN_ISSUES).map((issue) => {
    const place = formatPath(pathOf(issue));
    return place === "" ? issue.message : `${place}: ${issue.message}`;
  });
  const more = issues.length > MAX_SHOWN_ISSUES ? ` (and ${issues.length - MAX_SHOWN_ISSUES} more)` : "";
  return `${what}: ${shown.join("; ")}${more}`;
}

function pathOf(issue: CheckIssue | undefined): (string | number)[] {
  return (issue?.path ?? []).map((part) => {
    const key = typeof part === "object" ? part.key : part;
    return typeof key === "number" ? key : String(key);
  });
}
