import { AdaptiveLimit, ByteBudget, type Clock, type Release, Semaphore } from "@tinkex/base";

/** Limits on one kind of request that a service is given at one time. */
export interface PressureRules {
  /** Most requests on their way; as many as there are at first. */
  readonly most: number;
  /** Fewest that the limit goes down to, and how many of those that come while the service was lately busy. */
  readonly least: number;
  /** Most bytes on their way. */
  readonly maxBytes: number;
  /** Factor by which a request weighs heavier on the bytes while the service was lately busy. */
  readonly busyWeight: number;
  /** Time after the end of a pause in which the service still counts as lately busy, in milliseconds. */
  readonly carefulMs: number;
  /** Those who wait out a pause come back spread over this time, in milliseconds. */
  readonly spreadMs: number;
}

/** Answer of the service to a request: it took it, or was too busy and wants a pause. */
export type SubmitOutcome<Accepted> =
  | { readonly kind: "accepted"; readonly value: Accepted }
  | { readonly kind: "busy"; readonly pauseMs: number };

/** End of a pause that there never was: most services are never so busy, and the clock need not be asked. */
const NEVER = Number.NEGATIVE_INFINITY;

/**
 * Submits requests of one kind within limits that all of them share, and waits together while the service is busy. Nobody
 * who stands in line for bytes or for a place is passed by someone who came later, however much they ask for. Those who wait out a
 * pause come back spread over a time, in any order, and those who come while the service was lately busy have a line of their own.
 */
export class PressureLimits {
  readonly #rules: PressureRules;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #places: AdaptiveLimit;
  readonly #carefulPlaces: Semaphore;
  readonly #bytes: ByteBudget;
  #pausedUntilMs = NEVER;
  /** Requests that have come in. */
  #submitting = 0;
  /** Requests in the line for bytes, and those that it has let through and that have not gone on yet: a promise tells them some turns later. */
  #atBytes = 0;
  /** Requests that have gone on since they were given a place. */
  #entered = 0;

  /** @param random - numbers in [0, 1) */
  constructor(rules: PressureRules, clock: Clock, random: () => number) {
    this.#rules = rules;
    this.#clock = clock;
    this.#random = random;
    this.#places = new AdaptiveLimit(rules);
    this.#carefulPlaces = new Semaphore(rules.least);
    this.#bytes = new ByteBudget(rules.maxBytes);
  }

  /** Bytes on their way now, each as often as it weighs. */
  get bytes(): number {
    return this.#bytes.taken;
  }

  /** Requests that wait for room, or for the end of a pause. */
  get waiting(): number {
    return this.#submitting - this.#places.inside;
  }

  /**
   * Calls `send` until the service takes the request.
   *
   * @param byteLength - its estimated size
   * @throws what `send` throws; the reason of `signal`
   */
  async submit<Accepted>(
    byteLength: number,
    signal: AbortSignal,
    send: () => Promise<SubmitOutcome<Accepted>>,
  ): Promise<Accepted> {
    signal.throwIfAborted();
    const turn = this.#places.takeTicket();
    let leaveCareful: Release | undefined;
    let leaveBytes: Release | undefined;
    this.#submitting += 1;
    try {
      if (this.#latelyBusy()) leaveCareful = await this.#carefulPlaces.acquire(signal);
      const weight = this.#latelyBusy() ? this.#rules.busyWeight : 1;
      // There is no await where nothing is waited for: it would show at thousands of requests a second. Whoever was let through a
      // line comes first all the same, though its promise has not told it yet.
      if (this.#atBytes === 0) leaveBytes = this.#bytes.tryAcquire(byteLength * weight);
      if (leaveBytes === undefined) {
        this.#atBytes += 1;
        try {
          leaveBytes = await this.#bytes.acquire(byteLength * weight, signal);
        } finally {
          this.#atBytes -= 1;
        }
      }
      for (;;) {
        if (this.#pauseLeftMs() > 0) await this.#waitOutPause(signal);
        const entered = this.#places.inside === this.#entered ? this.#places.tryEnter() : undefined;
        const leave = entered ?? (await this.#places.enter(turn, signal));
        this.#entered += 1;
        try {
          // The pause may have begun while we stood in line.
          if (this.#pauseLeftMs() > 0) continue;
          const sentAtMs = this.#clock.monotonic();
          const outcome = await send();
          if (outcome.kind === "accepted") {
            this.#places.grow();
            return outcome.value;
          }
          this.#pause(outcome.pauseMs, sentAtMs);
        } finally {
          this.#entered -= 1;
          leave();
        }
      }
    } finally {
      this.#submitting -= 1;
      leaveBytes?.();
      leaveCareful?.();
    }
  }

  #latelyBusy(): boolean {
    if (this.#pausedUntilMs === NEVER) return false;
    return this.#clock.monotonic() < this.#pausedUntilMs + this.#rules.carefulMs;
  }

  #pauseLeftMs(): number {
    if (this.#pausedUntilMs === NEVER) return 0;
    return this.#pausedUntilMs - this.#clock.monotonic();
  }

  /** A shorter pause does not end a longer one. */
  #pause(ms: number, sentAtMs: number): void {
    const now = this.#clock.monotonic();
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + ms);
    this.#places.shrink(sentAtMs, now);
  }

  async #waitOutPause(signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = this.#pauseLeftMs();
      if (leftMs <= 0) return;
      await this.#clock.sleep(leftMs + this.#random() * this.#rules.spreadMs, signal);
    }
  }
}
