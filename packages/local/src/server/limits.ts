/** Limits of a server: milliseconds that it waits for things and keeps them, and numbers of things. */
export interface ServerLimits {
  /** Number of adapters of sampling sessions that stay in memory while nobody samples from them. */
  readonly idleSamplers: number;
  /** Time for which a poll is held. Clients give up on one after 45 s. */
  readonly holdMs: number;
  /** Time that operations wait for a missing sequence id before them. */
  readonly gapTimeoutMs: number;
  /** Time for which a result is kept after its delivery, in case the answer was lost. */
  readonly keepDeliveredMs: number;
  /** Time for which a result is kept that nobody fetches. */
  readonly keepUnfetchedMs: number;
  /** Time that a client may take to send the head of a request. */
  readonly headTimeoutMs: number;
  /** Time that it may take to send the whole of one. */
  readonly requestTimeoutMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  idleSamplers: 32,
  holdMs: 20_000,
  gapTimeoutMs: 120_000,
  keepDeliveredMs: 300_000,
  keepUnfetchedMs: 3_600_000,
  headTimeoutMs: 20_000,
  requestTimeoutMs: 120_000,
};
