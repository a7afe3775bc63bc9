import { ValidationError } from "@tinkex/base";

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
