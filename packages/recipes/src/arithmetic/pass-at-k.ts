import { describeValue, ValidationError } from "@tinkex/base";

/**
 * Chance that at least one of `k` answers drawn from `count` is correct, where `correct` of them are: 1 − C(count − correct, k) / C(count, k).
 *
 * @throws ValidationError unless 0 ≤ correct ≤ count and 1 ≤ k ≤ count, all whole
 */
export function passAtK(count: number, correct: number, k: number): number {
  const isWhole = [count, correct, k].every(Number.isSafeInteger);
  if (!isWhole || correct < 0 || correct > count || k < 1 || k > count) {
    throw new ValidationError(
      `passAtK: 0 ≤ correct ≤ count and 1 ≤ k ≤ count must hold, got count ${describeValue(count)}, correct ${describeValue(correct)}, k ${describeValue(k)}`,
    );
  }
  if (count - correct < k) return 1;
  let noneCorrect = 1;
  for (let drawn = count - correct + 1; drawn <= count; drawn += 1) noneCorrect *= 1 - k / drawn;
  return 1 - noneCorrect;
}
