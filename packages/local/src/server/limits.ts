/** How long a server waits for things and keeps them, in milliseconds, and how many. */
export interface ServerLimits {
  /** How many adapters of sampling sessions stay in memory while nobody samples from them. */
  readonly idleSamplers: number;
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
  idleSamplers: 32,
  holdMs: 20_000,
  gapTimeoutMs: 120_000,
  keepDeliveredMs: 300_000,
  keepUnfetchedMs: 3_600_000,
};
