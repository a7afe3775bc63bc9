/** How many requests are under way on the connections to one place, or wait for one of them. */
export class Demand {
  readonly #listeners = new Set<() => void>();
  #count = 0;

  get isWanted(): boolean {
    return this.#count > 0;
  }

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count === 0) for (const listener of [...this.#listeners]) listener();
  }

  /** Calls `listener` when nobody is left. Gives back how to stop. */
  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
