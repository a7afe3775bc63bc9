import type { Clock } from "@tinkex/types";
import { ByteBudget } from "../queue/byte-budget.js";
import { CountLimit } from "../queue/count-limit.js";
import type { Release } from "../queue/release.js";

/** Submissions on their way at one time; and so many more carefully while the service has lately said that it is busy. */
const MOST_AT_ONCE = 400;
const MOST_WHEN_BUSY = 10;
/** How much heavier a prompt weighs on the byte budget then. */
const BUSY_WEIGHT = 20;
/** How long after the end of a pause the service still counts as lately busy, in milliseconds. */
const CAREFUL_MS = 10_000;
const SMALL_PROMPT_BYTES = 131_072;
const SMALL_PROMPT_PAUSE_MS = 1_000;
const LARGE_PROMPT_PAUSE_MS = 5_000;
/** Those who wait out a pause come back spread over this time, in milliseconds. */
const SPREAD_MS = 250;

/** What the service made of a submission: took it, or was too busy (429), perhaps saying for how long. */
export type DispatchOutcome<Accepted> =
  | { readonly kind: "accepted"; readonly value: Accepted }
  | { readonly kind: "busy"; readonly pauseMs: number | undefined };

/** What {@link SampleDispatch} needs. */
export interface SampleDispatchOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Bytes of prompts on their way at one time. */
  readonly maxBytes: number;
}

/**
 * Submits samples within limits that all samplers of a session share, and waits together while the service is busy. The limits
 * hold until a submission was accepted, not until its result is there.
 */
export class SampleDispatch {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #places = new CountLimit(MOST_AT_ONCE);
  readonly #carefulPlaces = new CountLimit(MOST_WHEN_BUSY);
  readonly #bytes: ByteBudget;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor({ clock, random, maxBytes }: SampleDispatchOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#bytes = new ByteBudget(maxBytes);
  }

  /**
   * Calls `send` until the service takes the submission.
   *
   * @param promptBytes - estimated size of the prompt
   * @throws what `send` throws; the reason of `signal`
   */
  async submit<Accepted>(
    promptBytes: number,
    signal: AbortSignal,
    send: () => Promise<DispatchOutcome<Accepted>>,
  ): Promise<Accepted> {
    const held: Release[] = [];
    try {
      if (this.#latelyBusy()) held.push(await this.#carefulPlaces.acquire(signal));
      held.push(await this.#places.acquire(signal));
      const weight = this.#latelyBusy() ? BUSY_WEIGHT : 1;
      held.push(await this.#bytes.acquire(promptBytes * weight, signal));
      for (;;) {
        await this.#waitOutPause(signal);
        const outcome = await send();
        if (outcome.kind === "accepted") return outcome.value;
        this.#pause(
          outcome.pauseMs ??
            (promptBytes <= SMALL_PROMPT_BYTES ? SMALL_PROMPT_PAUSE_MS : LARGE_PROMPT_PAUSE_MS),
        );
      }
    } finally {
      for (const release of held.reverse()) release();
    }
  }

  #latelyBusy(): boolean {
    return this.#clock.monotonic() < this.#pausedUntilMs + CAREFUL_MS;
  }

  #pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.monotonic() + ms);
  }

  async #waitOutPause(signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = this.#pausedUntilMs - this.#clock.monotonic();
      if (leftMs <= 0) return;
      await this.#clock.sleep(leftMs + this.#random() * SPREAD_MS, signal);
    }
  }
}
