/** Gives out numbers in ascending order: those that were given back first, then the next new one. */
export class SequenceCounter {
  #next: number;
  /** Ascending. */
  #unused: number[] = [];

  constructor(first: number) {
    this.#next = first;
  }

  /** A number that belongs to the caller alone. */
  take(): number {
    const unused = this.#unused.shift();
    if (unused !== undefined) return unused;
    this.#next += 1;
    return this.#next - 1;
  }

  /** Takes numbers back that were taken and never used. */
  giveBack(numbers: readonly number[]): void {
    this.#unused = [...this.#unused, ...numbers].sort((a, b) => a - b);
  }
}
