import { ValidationError } from "../errors/api-errors.js";
import { nearestName } from "../text/nearest-name.js";
import { describeKind, describeValue } from "./check-argument.js";

/** Beginning of the message about a misspelt field. */
export const UNKNOWN_FIELD = "unknown field";

/** Describes names that nobody reads, each with the one that was probably meant. */
export function unknownNames(unknown: readonly string[], known: readonly string[]): string {
  return unknown
    .map((name) => {
      const nearest = nearestName(name, known);
      return nearest === undefined
        ? `${UNKNOWN_FIELD} "${name}" (known: ${known.join(", ") || "none"})`
        : `${UNKNOWN_FIELD} "${name}", did you mean "${nearest}"?`;
    })
    .join("; ");
}

/**
 * Refuses an object with a field that nobody reads, for objects that no schema checks: options, and examples whose tensors
 * are still to be cast.
 *
 * @param known - every name that is read; a record, so that the compiler sees when one is missing
 * @param what - what the caller knows the object by, e.g. `data[3]`
 * @throws ValidationError naming the field and the one that was probably meant, and for what is no object
 */
export function checkKnownNames<Value extends object>(
  value: Value,
  known: Readonly<Record<keyof Value & string, true>>,
  what: string,
): void {
  if (typeof value !== "object" || value === null) {
    throw new ValidationError(`${what} must be an object, got ${describeKind(value)}`, {
      path: [what],
    });
  }
  // Lists are made only where there is something to say: this runs for every tensor of a batch.
  for (const name in value) {
    if (Object.hasOwn(known, name)) continue;
    const unknown: string[] = [];
    for (const other in value) if (!Object.hasOwn(known, other)) unknown.push(other);
    throw new ValidationError(`${what}: ${unknownNames(unknown, Object.keys(known))}`, {
      path: [what, name],
    });
  }
}

/**
 * Refuses a limit of time that cannot be kept.
 *
 * @throws ValidationError for a limit that is negative or not a number
 */
export function checkTimeoutMs(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || (typeof timeoutMs === "number" && timeoutMs >= 0)) return;
  throw new ValidationError(`timeoutMs must be 0 or more milliseconds, got ${describeValue(timeoutMs)}`, {
    path: ["timeoutMs"],
  });
}
