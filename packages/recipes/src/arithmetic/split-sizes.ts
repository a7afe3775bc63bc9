import { describeValue, ValidationError } from "@tinkex/base";

/**
 * Sizes of `parts` parts of `count` things, as even as they can be, the larger ones last: 10 in 3 parts are 3, 3 and 4.
 *
 * @throws ValidationError unless 1 ≤ parts ≤ count, both whole
 */
export function splitSizes(count: number, parts: number): number[] {
  if (!Number.isSafeInteger(count) || !Number.isSafeInteger(parts) || parts < 1 || parts > count) {
    throw new ValidationError(
      `splitSizes: 1 ≤ parts ≤ count must hold, got ${describeValue(parts)} parts of ${describeValue(count)}`,
    );
  }
  // In this order, since the cookbook rounds the width first: some borders lie one lower.
  const width = count / parts;
  const borderAt = (part: number): number => (part === parts ? count : Math.floor(part * width));
  return Array.from({ length: parts }, (_, part) => borderAt(part + 1) - borderAt(part));
}
