/** Gives out consecutive numbers. */
export class SequenceCounter {
  #next: number;

  constructor(first: number) {
    this.#next = first;
  }

  /** The first of `count` numbers that belong to the caller alone. */
  take(count = 1): number {
    const first = this.#next;
    this.#next += count;
    return first;
  }

  /** Makes `next` the next number: those from there on were taken and never used. */
  rewindTo(next: number): void {
    this.#next = Math.min(this.#next, next);
  }
}
