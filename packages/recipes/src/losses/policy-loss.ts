import { describeValue, ValidationError } from "@tinkex/base";
import type { LossFnType } from "@tinkex/types";

/** Losses that train on sampled tokens by their advantages; the others read tensors that rollouts do not have. */
const POLICY_LOSSES: readonly LossFnType[] = [
  "importance_sampling",
  "ppo",
  "cispo",
  "dro",
  "gspo",
  "stable_reinforce",
];

/** @throws ValidationError for a loss that does not train on sampled tokens */
export function checkPolicyLoss(lossFn: LossFnType | undefined, place: string): void {
  if (lossFn === undefined || POLICY_LOSSES.includes(lossFn)) return;
  const names = POLICY_LOSSES.map((name) => JSON.stringify(name)).join(", ");
  throw new ValidationError(`${place} must be one of ${names}, got ${describeValue(lossFn)}`);
}
