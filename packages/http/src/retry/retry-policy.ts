import { BACKOFFS, type Backoff, backoffMs } from "@tinkex/base";

/** Back-off of a failed call, and how often and how long it is repeated. */
export interface RetryPolicy extends Backoff {
  /** Most repeats of one call. */
  readonly maxRetries: number;
  /** No repeat starts later than this after the call began, in milliseconds. */
  readonly budgetMs: number;
}

/** Repeats of one failed request: a field that is given replaces that of every policy but `none`. */
export interface RetryOptions {
  /**
   * Most repeats; 0 sends once. @defaultValue 10 for requests that open a session or model, without limit for others; 2 while no
   * server has answered at all
   */
  readonly maxRetries?: number | undefined;
  /** Milliseconds after the call's start from which no repeat starts. @defaultValue 300,000; without limit for requests that open something */
  readonly budgetMs?: number | undefined;
  /** Pause before the first repeat, in milliseconds; it doubles from one to the next. @defaultValue 1,000; 500 for those that open something */
  readonly firstDelayMs?: number | undefined;
  /** Longest pause of our own choosing, in milliseconds. @defaultValue 30,000; 10,000 for those that open something */
  readonly maxDelayMs?: number | undefined;
  /** Share of a pause that chance may take off, from 0 to 1. @defaultValue 0.25 */
  readonly jitter?: number | undefined;
}

export type RetryPolicyName = "none" | "counted" | "patient" | "archive";

const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * The API's retry classes: back-offs of base's table, with their limits. `counted` is that of calls that open something,
 * `patient` that of work: it outlasts a restart of the service. `archive` waits while the service packs files. Calls with `none`
 * have a loop of their own one layer up; one layer alone sleeps per failure.
 */
export const RETRY_POLICIES: Readonly<Record<RetryPolicyName, RetryPolicy>> = {
  none: { firstDelayMs: 0, maxDelayMs: 0, factor: [1, 1], maxRetries: 0, budgetMs: UNLIMITED },
  counted: { ...BACKOFFS.counted, maxRetries: 10, budgetMs: UNLIMITED },
  patient: { ...BACKOFFS.patient, maxRetries: UNLIMITED, budgetMs: 300_000 },
  archive: { ...BACKOFFS.archive, maxRetries: 5, budgetMs: UNLIMITED },
};

/** The policy of that name with a user's own settings. Calls with `none` keep it: their retries belong to the layer above. */
export function settledPolicy(name: RetryPolicyName, settings: RetryOptions): RetryPolicy {
  const policy = RETRY_POLICIES[name];
  if (name === "none") return policy;
  return {
    maxRetries: settings.maxRetries ?? policy.maxRetries,
    budgetMs: settings.budgetMs ?? policy.budgetMs,
    firstDelayMs: settings.firstDelayMs ?? policy.firstDelayMs,
    maxDelayMs: settings.maxDelayMs ?? policy.maxDelayMs,
    factor: settings.jitter === undefined ? policy.factor : [1, 1 - settings.jitter],
  };
}

/** Share of a server's pause that chance may add, so that a crowd does not come back in one moment. */
export const HINT_JITTER = 0.1;

/** Facts that a pause is worked out from. */
export interface PauseInput {
  readonly policy: RetryPolicy;
  /** Repeats made so far. */
  readonly retries: number;
  /** Since the call began, in milliseconds. */
  readonly elapsedMs: number;
  /** The pause the server asked for, in milliseconds. */
  readonly hintMs?: number | undefined;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/**
 * Works out the milliseconds to wait before the next try, or `undefined` when the policy allows no further one: the server's
 * pause and a little more, or that of the back-off. The last one ends where the budget does.
 */
export function retryDelayMs(input: PauseInput): number | undefined {
  const { policy, retries, elapsedMs, hintMs, random } = input;
  const leftMs = policy.budgetMs - elapsedMs;
  if (retries >= policy.maxRetries || leftMs <= 0) return undefined;
  const delayMs =
    hintMs === undefined ? backoffMs(policy, retries, random) : hintMs * (1 + HINT_JITTER * random());
  return Math.min(delayMs, leftMs);
}
