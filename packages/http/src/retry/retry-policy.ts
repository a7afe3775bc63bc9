/** How often and how patiently a failed try is repeated. */
export interface RetryPolicy {
  /** Most repeats of one call. */
  readonly maxRetries: number;
  /** No repeat starts later than this after the call began, in milliseconds. */
  readonly budgetMs: number;
  /** Pause before the first repeat; it doubles from one repeat to the next, in milliseconds. */
  readonly firstDelayMs: number;
  /** Longest pause of our own choosing, in milliseconds. */
  readonly maxDelayMs: number;
  /** Share of a pause that chance may take off, 0 to 1. @defaultValue 0.25 */
  readonly jitter?: number;
}

/** Retries of a user's own: a field that is given replaces that of every policy but `none`. */
export type RetrySettings = { readonly [Field in keyof RetryPolicy]?: RetryPolicy[Field] | undefined };

export type RetryPolicyName = "none" | "counted" | "patient" | "archive";

/**
 * The API's retry classes. `counted` is that of calls that open something, `patient` that of work: it outlasts a
 * restart of the service. `archive` waits while the service packs files. Calls with `none` have a loop of their own
 * one layer up; one layer alone sleeps per failure.
 */
export const RETRY_POLICIES: Readonly<Record<RetryPolicyName, RetryPolicy>> = {
  none: { maxRetries: 0, budgetMs: Number.POSITIVE_INFINITY, firstDelayMs: 0, maxDelayMs: 0 },
  counted: { maxRetries: 10, budgetMs: Number.POSITIVE_INFINITY, firstDelayMs: 500, maxDelayMs: 10_000 },
  patient: {
    maxRetries: Number.POSITIVE_INFINITY,
    budgetMs: 300_000,
    firstDelayMs: 1_000,
    maxDelayMs: 30_000,
  },
  archive: { maxRetries: 5, budgetMs: Number.POSITIVE_INFINITY, firstDelayMs: 30_000, maxDelayMs: 30_000 },
};

/** The policy of that name with a user's own settings. Calls with `none` keep it: their retries belong to the layer above. */
export function settledPolicy(name: RetryPolicyName, settings: RetrySettings): RetryPolicy {
  const policy = RETRY_POLICIES[name];
  if (name === "none") return policy;
  return {
    maxRetries: settings.maxRetries ?? policy.maxRetries,
    budgetMs: settings.budgetMs ?? policy.budgetMs,
    firstDelayMs: settings.firstDelayMs ?? policy.firstDelayMs,
    maxDelayMs: settings.maxDelayMs ?? policy.maxDelayMs,
    ...(settings.jitter === undefined ? {} : { jitter: settings.jitter }),
  };
}
