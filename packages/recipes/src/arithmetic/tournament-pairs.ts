import { describeValue, ValidationError } from "@tinkex/base";

/**
 * Pairs of a group's members to compare: each with every other one.
 *
 * @param size - number of members
 * @param hasBothOrders - true compares (a, b) and (b, a): judges prefer the first place. @defaultValue true
 * @throws ValidationError for a size that is no whole number from 0
 */
export function tournamentPairs(
  size: number,
  hasBothOrders = true,
): (readonly [first: number, second: number])[] {
  if (!Number.isSafeInteger(size) || size < 0) {
    throw new ValidationError(
      `tournamentPairs: size must be a whole number from 0, got ${describeValue(size)}`,
    );
  }
  const members = Array.from({ length: size }, (_, index) => index);
  return members.flatMap((first) =>
    members
      .filter((second) => (hasBothOrders ? second !== first : second > first))
      .map((second) => [first, second] as const),
  );
}
