const FIRST_MS = 250;
const LONGEST_MS = 5_000;
/** A poll held this long shows that the server makes the client wait by itself. */
const HELD_MS = 1_000;

/**
 * Pauses after polls that end at once without a result, so that a server that does not hold them is not hammered: full
 * jitter from 0.25 s, doubling to 5 s, from the start again once a poll was held.
 */
export class PollPause {
  readonly #random: () => number;
  #count = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Milliseconds to wait after a poll that took `heldMs`. */
  next(heldMs: number): number {
    if (heldMs > HELD_MS) this.#count = 0;
    const ceilingMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#count);
    this.#count += 1;
    return this.#random() * ceilingMs;
  }
}
