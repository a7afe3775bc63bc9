import { type Release, WaitQueue } from "./wait-queue.js";

/**
 * Semaphore: hands out permits, and queues who finds none left in the order of arrival. Whoever is first in line is let in as
 * soon as a permit is free, however many it asks for; the balance is then negative for a while.
 */
export class Semaphore {
  #free: number;
  #taken = 0;
  /** Made for the first who waits: most semaphores never meet one. */
  #queue: WaitQueue<number, Release> | undefined;

  /** @param permits - number of permits that can be held at one time; at least 1 */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** Permits that are held now. */
  get taken(): number {
    return this.#taken;
  }

  /** Number of those who wait. */
  get waiting(): number {
    return this.#queue?.length ?? 0;
  }

  /** Takes permits if one is free; nobody waits then. */
  tryAcquire(permits = 1): Release | undefined {
    return this.#free > 0 ? this.#take(permits) : undefined;
  }

  /** Waits for permits. @throws the reason of `signal` when it aborts first */
  acquire(signal: AbortSignal, permits = 1): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#free > 0) return Promise.resolve(this.#take(permits));
    this.#queue ??= new WaitQueue();
    return this.#queue.wait(permits, signal);
  }

  /** Lines up for a permit without a promise. Returns a function that leaves the queue; it does nothing once admitted. */
  enqueue(admit: (release: Release) => void): () => void {
    this.#queue ??= new WaitQueue();
    return this.#queue.enqueue({ note: 1, admit, refuse: () => {} });
  }

  /** Ends every wait with `error`. */
  dismiss(error: unknown): void {
    this.#queue?.dismiss(error);
  }

  /** Takes permits that go to the next in line when they are given back. */
  #take(permits: number): Release {
    this.#free -= permits;
    this.#taken += permits;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free += permits;
      this.#taken -= permits;
      while (this.#free > 0) {
        const next = this.#queue?.next();
        if (next === undefined) return;
        next.admit(this.#take(next.note));
      }
    };
  }
}
