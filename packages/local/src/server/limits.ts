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
  /** How long a client may take to send the head of a request. */
  readonly headTimeoutMs: number;
  /** How long it may take to send the whole of one. */
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
