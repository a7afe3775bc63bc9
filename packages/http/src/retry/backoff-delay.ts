import type { RetryPolicy } from "./retry-policy.js";

/** Share of a pause that chance may take off, where the policy does not say. */
const BACKOFF_JITTER = 0.25;
/** Share of a server's pause that chance may add, so that a crowd does not come back in one moment. */
export const HINT_JITTER = 0.1;

/** What a pause is worked out from. */
export interface PauseInput {
  readonly policy: RetryPolicy;
  /** Repeats made so far. */
  readonly retries: number;
  /** Since the call began, in milliseconds; pauses for billing left out. */
  readonly elapsedMs: number;
  /** The pause the server asked for, in milliseconds. */
  readonly hintMs?: number | undefined;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/**
 * Milliseconds to wait before the next try, or `undefined` when the policy allows no further one. Our own pause is
 * `min(first · 2^retries, max)` times a factor in (1 - jitter, 1]; the last one ends where the budget does.
 */
export function backoffDelayMs(input: PauseInput): number | undefined {
  const { policy, retries, elapsedMs, hintMs, random } = input;
  const jitter = policy.jitter ?? BACKOFF_JITTER;
  const leftMs = policy.budgetMs - elapsedMs;
  if (retries >= policy.maxRetries || leftMs <= 0) return undefined;
  const delayMs =
    hintMs === undefined
      ? Math.min(policy.firstDelayMs * 2 ** retries, policy.maxDelayMs) * (1 - jitter * random())
      : hintMs * (1 + HINT_JITTER * random());
  return Math.min(delayMs, leftMs);
}
