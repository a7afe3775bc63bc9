import type { Clock } from "@tinkex/base";

/** Most paths that are remembered; the oldest go first. */
const MAX_PATHS = 10_000;

/** Ends of checkpoints as far as one service client has brought them about: those it deleted, and those it gave a time to live. */
export class CheckpointLives {
  readonly #clock: Pick<Clock, "now">;
  /** By the wall clock, in milliseconds; a path that is not here has no end. */
  readonly #endsAtMs = new Map<string, number>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Notes that a checkpoint is there, or has another time to live from now on. @param ttlSeconds - `undefined` or null for no end */
  lives(path: string, ttlSeconds: number | null | undefined): void {
    if (ttlSeconds === undefined || ttlSeconds === null) this.#endsAtMs.delete(path);
    else this.#remember(path, this.#clock.now() + ttlSeconds * 1000);
  }

  /** Notes that a checkpoint was deleted. */
  ended(path: string): void {
    this.#remember(path, Number.NEGATIVE_INFINITY);
  }

  /** Tells whether nothing that this client did has ended a checkpoint. */
  isAlive(path: string): boolean {
    const endsAtMs = this.#endsAtMs.get(path);
    return endsAtMs === undefined || this.#clock.now() < endsAtMs;
  }

  /** Tells whether a checkpoint has ended, or will by the time that it was given. */
  hasEnd(path: string): boolean {
    return this.#endsAtMs.has(path);
  }

  #remember(path: string, endsAtMs: number): void {
    this.#endsAtMs.delete(path);
    this.#endsAtMs.set(path, endsAtMs);
    if (this.#endsAtMs.size <= MAX_PATHS) return;
    for (const oldest of this.#endsAtMs.keys()) {
      this.#endsAtMs.delete(oldest);
      return;
    }
  }
}
