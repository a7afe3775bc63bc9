/** Waiting times of a server, in milliseconds. */
export interface ServerLimits {
  /** How long a poll is held. Clients give up on one after 45 s. */
  readonly holdMs: number;
  /** How long operations wait for a missing sequence id before them. */
  readonly gapTimeoutMs: number;
  /** How long a result is kept after its delivery, in case the answer was lost. */
  readonly keepDeliveredMs: number;
  /** How long a result is kept that nobody fetches. */
  readonly keepUnfetchedMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  holdMs: 20_000,
  gapTimeoutMs: 120_000,
  keepDeliveredMs: 300_000,
  keepUnfetchedMs: 3_600_000,
};
