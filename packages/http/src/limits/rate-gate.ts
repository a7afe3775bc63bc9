import type { PoolName } from "../operations/pool-limits.js";

/**
 * Remembers until when the service wants quiet. A 429 with a pause concerns every call of that kind of traffic with
 * our key, so those that come later wait too instead of collecting a 429 each.
 */
export class RateGate {
  readonly #quietUntil = new Map<PoolName, number>();

  /** The service asked for `delayMs` of quiet at `nowMs` (monotonic). */
  close(pool: PoolName, nowMs: number, delayMs: number): void {
    this.#quietUntil.set(pool, Math.max(this.#quietUntil.get(pool) ?? 0, nowMs + delayMs));
  }

  /** How long a call of this kind should wait at `nowMs`. */
  waitMs(pool: PoolName, nowMs: number): number {
    const until = this.#quietUntil.get(pool);
    if (until === undefined) return 0;
    if (until <= nowMs) this.#quietUntil.delete(pool);
    return Math.max(0, until - nowMs);
  }
}
