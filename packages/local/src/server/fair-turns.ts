/** Requests that are looked at in one turn of the event loop: about two milliseconds of work. */
const MAX_PER_TURN = 8;

/** Turns in which connections go first, until a request is admitted all the same: connections may never cease to come. */
const MAX_TURNS_HELD = 8;

/**
 * Admits a few requests in each turn of the event loop, the others in the next ones, in the order in which they came. Without it, hundreds
 * that arrive at once are all worked on before the loop looks for new ones, and a health check waits for them.
 *
 * New connections go first: the loop accepts one in a turn, so that a health check that comes behind hundreds of them would wait
 * for the requests of all.
 */
export class FairTurns {
  readonly #waiting: (() => void)[] = [];
  #admitted = 0;
  #isNextSet = false;
  #hasNewConnection = false;
  #turnsHeld = 0;

  /** Notes that a connection was accepted in this turn. Others may wait behind it. */
  noteConnection(): void {
    this.#hasNewConnection = true;
  }

  /** Resolves when the caller may go on: at once, unless this turn has had its number, or connections go first. */
  async enter(): Promise<void> {
    this.#setNext();
    if (!this.#hasNewConnection && this.#waiting.length === 0 && this.#admitted < MAX_PER_TURN) {
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
      const admitted = this.#waiting.splice(0, this.#room());
      this.#admitted = admitted.length;
      for (const resolve of admitted) resolve();
      if (admitted.length > 0 || this.#waiting.length > 0) this.#setNext();
    });
  }

  /** Number of requests that the next turn may admit. */
  #room(): number {
    const isHeld = this.#hasNewConnection;
    this.#hasNewConnection = false;
    this.#turnsHeld = isHeld ? this.#turnsHeld + 1 : 0;
    if (!isHeld) return MAX_PER_TURN;
    if (this.#turnsHeld < MAX_TURNS_HELD) return 0;
    this.#turnsHeld = 0;
    return 1;
  }
}
