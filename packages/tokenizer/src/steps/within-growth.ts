import { ValidationError } from "@tinkex/base";

/** The most that a character becomes by itself is 18, in the normalisation NFKC. */
const MAX_GROWTH = 24;
const FREE_LENGTH = 65_536;

/**
 * Refuses a text that the steps of a tokenizer.json make many times longer: some, one behind the other, double it
 * each time.
 */
export function checkGrowth(length: number, givenLength: number, section: string): void {
  if (length <= givenLength * MAX_GROWTH + FREE_LENGTH) return;
  throw new ValidationError(
    `the ${section} of this tokenizer.json must make at most ${MAX_GROWTH} characters of one, got ${length} of ${givenLength}; register a source that gives your own tokenizer for it`,
  );
}
