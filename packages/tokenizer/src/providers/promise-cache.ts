import { onAbort } from "@tinkex/base";

interface Entry<T> {
  readonly promise: Promise<T>;
  readonly loading: AbortController;
  waiting: number;
  isSettled: boolean;
}

/** Keeps promises by key: calls at the same time share one, a failed one is forgotten. */
export class PromiseCache<T> {
  readonly #capacity: number;
  readonly #entries = new Map<string, Entry<T>>();

  /** @param capacity - number of promises to keep; the one used least recently gives way */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * @param load - told to stop when nobody waits any more; what it gives then is not kept
   * @param left - aborts when the caller waits no longer
   */
  get(key: string, load: (signal: AbortSignal) => Promise<T>, left?: AbortSignal): Promise<T> {
    const entry = this.#entries.get(key) ?? this.#start(key, load);
    this.#keep(key, entry);
    entry.waiting += 1;
    if (left === undefined || entry.isSettled) return entry.promise;
    const stop = onAbort(left, () => this.#leave(key, entry));
    entry.promise.then(stop, stop);
    return entry.promise;
  }

  #start(key: string, load: (signal: AbortSignal) => Promise<T>): Entry<T> {
    const loading = new AbortController();
    const entry: Entry<T> = { promise: load(loading.signal), loading, waiting: 0, isSettled: false };
    entry.promise.then(
      () => {
        entry.isSettled = true;
      },
      () => {
        entry.isSettled = true;
        this.#forget(key, entry);
      },
    );
    return entry;
  }

  #leave(key: string, entry: Entry<T>): void {
    entry.waiting -= 1;
    if (entry.waiting > 0 || entry.isSettled) return;
    this.#forget(key, entry);
    entry.loading.abort();
  }

  #forget(key: string, entry: Entry<T>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }

  /** Puts an entry last in the order of use. */
  #keep(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#capacity && oldest.done === false) this.#entries.delete(oldest.value);
  }
}
