/** Requests that are looked at in one turn of the event loop: about two milliseconds of work. */
const MAX_PER_TURN = 8;

/**
 * Admits a few requests in each turn of the event loop, the others in the next ones, in the order in which they came. Without it, hundreds
 * that arrive at once are all worked on before the loop looks for new ones, and a health check waits for them.
 */
export class FairTurns {
  readonly #waiting: (() => void)[] = [];
  #admitted = 0;
  #isNextSet = false;

  /** Resolves when the caller may go on: at once, unless this turn has had its number. */
  async enter(): Promise<void> {
    this.#setNext();
    if (this.#waiting.length === 0 && this.#admitted < MAX_PER_TURN) {
      this.#admitted += 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #setNext(): void {
    if (this.#isNextSet) return;
    this.#isNextSet = true;
    setImmediate(() => {
      this.#isNextSet = false;
      const admitted = this.#waiting.splice(0, MAX_PER_TURN);
      this.#admitted = admitted.length;
      for (const resolve of admitted) resolve();
      if (admitted.length > 0) this.#setNext();
    });
  }
}
