import type { CallScope } from "./call-scope.js";

/** Lets so many in at a time; the others wait in the order they came. */
export class FifoLimit {
  readonly #most: number;
  #inside = 0;
  /** A set keeps its order and lets go of a waiter in the middle at once. */
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place if there is one and nobody waits for it. */
  enterAtOnce(): boolean {
    if (this.#inside >= this.#most || this.#waiting.size > 0) return false;
    this.#inside += 1;
    return true;
  }

  /**
   * Waits in line for a place. A call that ends meanwhile leaves the line; one that ends just as its turn comes has the
   * place, finds out with its first step, and leaves.
   */
  enterInTurn(scope: CallScope): Promise<void> {
    return scope.during(({ resolve }) => {
      const enter = (): void => resolve();
      this.#waiting.add(enter);
      return () => void this.#waiting.delete(enter);
    });
  }

  /** Hands the place to the next in line, who counts as inside from then on. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#inside -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
