import { type Release, releaseOnce, WaitQueue } from "./wait-queue.js";

/** Bounds how many may work at one time; the others wait in the order in which they came. */
export class Semaphore {
  readonly #queue = new WaitQueue<undefined, Release>();
  #free: number;

  /** @param permits - how many may hold a permit at one time; at least 1 */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** Takes a permit if one is free and nobody waits for it. */
  tryAcquire(): Release | undefined {
    if (this.#free <= 0 || this.#queue.length > 0) return undefined;
    this.#free -= 1;
    return this.#permit();
  }

  /** Waits for a permit. @throws the reason of `signal` when it aborts first */
  acquire(signal: AbortSignal): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const release = this.tryAcquire();
    return release === undefined ? this.#queue.wait(undefined, signal) : Promise.resolve(release);
  }

  /** Lines up for a permit without a promise. Returns a function that leaves the queue; it does nothing once admitted. */
  enqueue(admit: (release: Release) => void): () => void {
    return this.#queue.enqueue({ note: undefined, admit, refuse: () => {} });
  }

  /** Makes a permit that goes to the next in line when it is given back. */
  #permit(): Release {
    return releaseOnce(() => {
      const next = this.#queue.next();
      if (next === undefined) this.#free += 1;
      else next.admit(this.#permit());
    });
  }
}
