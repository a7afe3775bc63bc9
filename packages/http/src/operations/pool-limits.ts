/** Kinds of traffic; each has connections of its own. */
export type PoolName = "session" | "train" | "sample" | "poll" | "telemetry" | "rest" | "auth";

/**
 * Most requests under way per kind of traffic; further ones wait in the order of their calls. Polls have no limit:
 * each result waited for holds one for up to 45 s, and a client may wait for thousands.
 */
export const POOL_LIMITS: Readonly<Record<PoolName, number>> = {
  session: 50,
  train: 64,
  sample: 400,
  poll: Number.POSITIVE_INFINITY,
  telemetry: 4,
  rest: 50,
  auth: 4,
};
