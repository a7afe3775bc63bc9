import type { Clock } from "@tinkex/base";
import { PressureLimits, type PressureRules } from "@tinkex/http";

/** Limits by account, under the clock they wait by. Whoever uses them keeps them alive. */
const SHARED = new WeakMap<Clock, Map<string, WeakRef<PressureLimits>>>();

/**
 * Gives the limits that all clients of one account in this process share: a service that is too busy for one of them is too busy
 * for all.
 *
 * @param account - address and key; `undefined` when they are not known, and the limits then belong to one client
 */
export function sharedPressure(
  rules: PressureRules,
  clock: Clock,
  random: () => number,
  account: string | undefined,
): PressureLimits {
  if (account === undefined) return new PressureLimits(rules, clock, random);
  const ofClock = SHARED.get(clock) ?? new Map<string, WeakRef<PressureLimits>>();
  SHARED.set(clock, ofClock);
  const key = JSON.stringify([account, rules]);
  const known = ofClock.get(key)?.deref();
  if (known !== undefined) return known;
  // The key of an account that no client uses any more must not stay in memory.
  for (const [other, limits] of ofClock) if (limits.deref() === undefined) ofClock.delete(other);
  const made = new PressureLimits(rules, clock, random);
  ofClock.set(key, new WeakRef(made));
  return made;
}
