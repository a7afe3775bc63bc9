import { type Release, type Ticket, WaitQueue } from "./wait-queue.js";

/** Bounds between which a limit goes up and down. */
export interface LimitRange {
  readonly least: number;
  readonly most: number;
}

/**
 * Bounds how many may be inside at one time, by what the service says about it: one more after each success, half as many
 * when it is busy. The others wait in the order of their turns.
 */
export class AdaptiveLimit {
  readonly #range: LimitRange;
  /** Made for the first who waits. */
  #queue: WaitQueue<undefined, Release> | undefined;
  #lastTicket: Ticket = 0;
  #size: number;
  #inside = 0;
  #shrunkAtMs = Number.NEGATIVE_INFINITY;

  /** Begins with the most that the range allows. */
  constructor(range: LimitRange) {
    this.#range = range;
    this.#size = range.most;
  }

  /** Number of those who may be inside now. */
  get size(): number {
    return this.#size;
  }

  /** Number of those who are inside. */
  get inside(): number {
    return this.#inside;
  }

  /** The ticket of someone who comes now. */
  takeTicket(): Ticket {
    this.#lastTicket += 1;
    return this.#lastTicket;
  }

  /** Lets someone in if there is room and nobody stands in line. */
  tryEnter(): Release | undefined {
    const isLine = this.#queue !== undefined && this.#queue.length > 0;
    return isLine || this.#inside >= this.#size ? undefined : this.#enter();
  }

  /** @throws the reason of `signal` when it aborts first */
  enter(ticket: Ticket, signal: AbortSignal): Promise<Release> {
    if (signal.aborted) return Promise.reject(signal.reason);
    // Whoever does not wait needs no listener.
    const release = this.tryEnter();
    if (release !== undefined) return Promise.resolve(release);
    this.#queue ??= new WaitQueue();
    const waiting = this.#queue.wait(undefined, signal, ticket);
    this.#admit();
    return waiting;
  }

  /** Someone inside had success. */
  grow(): void {
    this.#size = Math.min(this.#range.most, this.#size + 1);
    this.#admit();
  }

  /**
   * The service was too busy for what was sent at `sentAtMs`. What was sent before the limit last shrank tells nothing new:
   * of a hundred that are refused together one counts.
   */
  shrink(sentAtMs: number, nowMs: number): void {
    if (sentAtMs <= this.#shrunkAtMs) return;
    this.#shrunkAtMs = nowMs;
    this.#size = Math.max(this.#range.least, Math.floor(this.#size / 2));
  }

  #admit(): void {
    while (this.#inside < this.#size) {
      const next = this.#queue?.next();
      if (next === undefined) return;
      next.admit(this.#enter());
    }
  }

  #enter(): Release {
    this.#inside += 1;
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#inside -= 1;
      this.#admit();
    };
  }
}
