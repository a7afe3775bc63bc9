const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** Waits between polls that met a broken connection or 429: 1, 2, 4 … 30 s, from the start again after any other answer. */
export class RetryBackoff {
  #count = 0;

  next(): number {
    const waitMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#count);
    this.#count += 1;
    return waitMs;
  }

  reset(): void {
    this.#count = 0;
  }
}
