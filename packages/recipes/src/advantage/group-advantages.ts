import { checkNumbers } from "../arguments/check-numbers.js";
import { mean } from "../arithmetic/sums.js";

/**
 * Advantages of the answers to one problem: each reward less the mean of the group, not divided by the deviation.
 *
 * @param rewards - one number for each answer
 * @throws ValidationError when it is no array of numbers
 */
export function groupAdvantages(rewards: readonly number[]): number[] {
  checkNumbers(rewards, "groupAdvantages: rewards");
  const baseline = mean([...rewards]);
  return Array.from(rewards, (reward) => reward - baseline);
}

/** Tells whether all rewards of a group are equal, so that it has nothing to teach. */
export function isConstantGroup(rewards: readonly number[]): boolean {
  checkNumbers(rewards, "isConstantGroup: rewards");
  return Array.from(rewards).every((reward) => reward === rewards[0]);
}
