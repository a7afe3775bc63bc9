/** A back-off: the pause before the first repeat, doubled from one repeat to the next up to a limit, times a factor of chance. */
export interface Backoff {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** The factor is drawn evenly between these two, the second left out. `[1, 1]`: no chance. */
  readonly factor: readonly [from: number, to: number];
}

/** Chance takes off up to a quarter, so that many clients do not come back in one moment. */
const UP_TO_A_QUARTER_LESS = [1, 0.75] as const;

/**
 * Every back-off of Tinkex, as data. Exactly one of them sleeps per failure: the transport's for requests, the client's for polls
 * and for samples that are made again, the tokenizer's for files of the hub.
 */
export const BACKOFFS = {
  /** Calls that open something: a session, a model. */
  counted: { firstDelayMs: 500, maxDelayMs: 10_000, factor: UP_TO_A_QUARTER_LESS },
  /** Calls that are work: they outlast a restart of the service. */
  patient: { firstDelayMs: 1_000, maxDelayMs: 30_000, factor: UP_TO_A_QUARTER_LESS },
  /** Archives that the service is still packing. */
  archive: { firstDelayMs: 30_000, maxDelayMs: 30_000, factor: UP_TO_A_QUARTER_LESS },
  /** Polls that end at once without a result: full jitter, so that a server that does not hold them is spared. */
  poll: { firstDelayMs: 250, maxDelayMs: 5_000, factor: [0, 1] },
  /** Polls that met a broken connection or 429. */
  brokenPoll: { firstDelayMs: 1_000, maxDelayMs: 30_000, factor: [1, 1] },
  /** Polls for many results at once that met a broken connection, or a service that is not well. */
  batchPoll: { firstDelayMs: 250, maxDelayMs: 10_000, factor: UP_TO_A_QUARTER_LESS },
  /** Samples that failed without fault of their own and are made again. */
  resample: { firstDelayMs: 500, maxDelayMs: 10_000, factor: [0.75, 1.25] },
  /** Requests that the service refused because the account cannot pay right now. */
  billing: { firstDelayMs: 5_000, maxDelayMs: 5_000, factor: [1, 1] },
  /** Files of a model hub. */
  hub: { firstDelayMs: 500, maxDelayMs: 2_000, factor: [1, 1] },
} as const satisfies Readonly<Record<string, Backoff>>;

/**
 * Milliseconds to wait after `retries` repeats have failed: `min(firstDelayMs · 2^retries, maxDelayMs)` times the factor, never
 * above `maxDelayMs`.
 *
 * @param random - gives numbers in [0, 1)
 */
export function backoffMs(backoff: Backoff, retries: number, random: () => number): number {
  const { firstDelayMs, maxDelayMs, factor } = backoff;
  const [from, to] = factor;
  const delayMs = Math.min(firstDelayMs * 2 ** retries, maxDelayMs);
  return Math.min(maxDelayMs, delayMs * (from + (to - from) * random()));
}

/** Counts the failures in a row of one thing that is repeated, for its back-off. */
export class BackoffCounter {
  readonly #backoff: Backoff;
  readonly #random: () => number;
  #retries = 0;

  constructor(backoff: Backoff, random: () => number) {
    this.#backoff = backoff;
    this.#random = random;
  }

  /** Milliseconds to wait after one more failure. */
  nextMs(): number {
    const delayMs = backoffMs(this.#backoff, this.#retries, this.#random);
    this.#retries += 1;
    return delayMs;
  }

  /** Begins again with the first delay, after a success. */
  reset(): void {
    this.#retries = 0;
  }
}
