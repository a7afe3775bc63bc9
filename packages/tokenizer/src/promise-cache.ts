/** Keeps promises by key: calls at the same time share one, a failed one is forgotten. */
export class PromiseCache<T> {
  readonly #capacity: number;
  readonly #promises = new Map<string, Promise<T>>();

  /** @param capacity How many to keep; the one used least recently gives way. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string, load: () => Promise<T>): Promise<T> {
    const known = this.#promises.get(key);
    if (known !== undefined) {
      this.#keep(key, known);
      return known;
    }
    const promise = load();
    this.#keep(key, promise);
    promise.catch(() => {
      if (this.#promises.get(key) === promise) this.#promises.delete(key);
    });
    return promise;
  }

  /** Puts a promise last in the order of use. */
  #keep(key: string, promise: Promise<T>): void {
    this.#promises.delete(key);
    this.#promises.set(key, promise);
    const oldest = this.#promises.keys().next();
    if (this.#promises.size > this.#capacity && oldest.done === false) this.#promises.delete(oldest.value);
  }
}
