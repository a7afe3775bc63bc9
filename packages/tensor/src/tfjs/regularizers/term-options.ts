import { checkKnownNames, describeValue, ValidationError } from "@tinkex/base";
import type { TermOptions } from "./loss-term.js";

/**
 * @param known - every option there is; a record, so that the compiler sees when one is missing
 * @param what - the function that they are options of
 * @throws ValidationError for options that are no object, or have a name that nobody reads
 */
export function checkTermOptions<Options extends TermOptions>(
  options: Options,
  known: Readonly<Record<keyof Options & string, true>>,
  what: string,
): void {
  if (typeof options === "object" && options !== null) {
    checkKnownNames(options, known, what);
    return;
  }
  throw new ValidationError(`${what} takes { weight, … }, got ${describeValue(options)}`, { path: [what] });
}

/** Makes the error for an option of a term, with what it has to be. */
export function termOptionError(
  what: string,
  option: string,
  problem: string,
  value: unknown,
): ValidationError {
  return new ValidationError(`${what}: ${option} must be ${problem}, got ${describeValue(value)}`, {
    path: [what, option],
  });
}
