/** Repeats that may start in one moment, and those that may follow each second. */
const BURST = 50;
const PER_SECOND = 20;

/**
 * Token bucket: spaces out the repeats of all calls of one transport, so that an outage under a thousand calls does not come
 * back as a thousand requests a moment. Nobody fails by it; the pauses grow.
 */
export class TokenBucket {
  #tokens = BURST;
  #atMs = Number.NEGATIVE_INFINITY;

  /** Takes a token for a repeat that is decided on at `nowMs` (monotonic); the answer is how much later it should start. */
  reserve(nowMs: number): number {
    const gained = ((nowMs - this.#atMs) / 1000) * PER_SECOND;
    this.#tokens = Math.min(BURST, this.#tokens + gained) - 1;
    this.#atMs = nowMs;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / PER_SECOND) * 1000;
  }
}
