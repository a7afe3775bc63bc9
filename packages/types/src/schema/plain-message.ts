import { describeValue } from "@tinkex/base";
import type * as z from "zod";

/**
 * Words for what zod found wrong, where a schema has no words of its own: they read like every other message here, and zod's
 * sentences, which change with its versions, reach nobody. Strings are not shown, since they may be secret.
 */
export function plainMessage(issue: z.core.$ZodRawIssue): string {
  const { input } = issue;
  switch (issue.code) {
    case "invalid_type":
      return mustBe(TYPES[issue.expected] ?? issue.expected, input);
    case "invalid_value":
      return mustBe(issue.values.map((value) => JSON.stringify(String(value))).join(" or "), input);
    case "too_small":
      return bound(issue, issue.inclusive === false ? `above ${issue.minimum}` : `${issue.minimum} or more`);
    case "too_big":
      return bound(issue, issue.inclusive === false ? `below ${issue.maximum}` : `${issue.maximum} or less`);
    case "invalid_key":
      return "has a key of another form than it must have";
    case "unrecognized_keys":
      return `unknown field ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    default:
      return `must be a value of another form, got ${describeInput(input)}`;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a finite number",
  int: "a whole number",
  bigint: "a bigint",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  null: "null",
  custom: "a value of another type",
};

function mustBe(what: string, input: unknown): string {
  return input === undefined
    ? `is missing; it must be ${what}`
    : `must be ${what}, got ${describeInput(input)}`;
}

function bound(
  { origin, input }: { readonly origin: string; readonly input?: unknown },
  range: string,
): string {
  if (origin === "array" || origin === "string") {
    const { length } = input as ArrayLike<unknown>;
    return `must hold ${range} ${origin === "array" ? "elements" : "characters"}, got ${length}`;
  }
  return `must be ${range}, got ${describeInput(input)}`;
}

/** Strings may be secret or long; a message of a record names them by their kind. */
function describeInput(input: unknown): string {
  return typeof input === "string" ? "a string" : describeValue(input);
}
