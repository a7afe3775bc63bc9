import { type Clock, deferred } from "@tinkex/base";
import type { FutureCompletion } from "@tinkex/types";

/** Most completions in one answer; the rest comes with the next one. */
const MAX_COMPLETIONS = 1_000;

/** Answer of a feed: what finished behind the cursor that was given, and the cursor to give next. */
export interface FeedAnswer {
  readonly completions: readonly FutureCompletion[];
  readonly cursor: number;
}

/**
 * Samples of one sampler in the order in which they finished, so that one poll hears of all of them. Each is kept until its reader
 * gives a cursor at or behind it.
 */
export class CompletionFeed {
  readonly #clock: Clock;
  #completions: FutureCompletion[] = [];
  /** Number of completions that were dropped, whose cursors are up to this. */
  #dropped = 0;
  #added = deferred<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(completion: FutureCompletion): void {
    this.#completions.push(completion);
    this.#added.resolve();
    this.#added = deferred();
  }

  /** Waits until something finished behind the cursor, but no longer than `holdMs`. Rejects only when `signal` aborts. */
  async read(cursor: number, holdMs: number, signal: AbortSignal): Promise<FeedAnswer> {
    this.#drop(cursor);
    if (this.#completions.length === 0 && holdMs > 0) {
      const hold = new AbortController();
      const stop = () => hold.abort(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      try {
        await Promise.race([this.#added.promise, this.#clock.sleep(holdMs, hold.signal)]);
      } finally {
        signal.removeEventListener("abort", stop);
        hold.abort();
      }
    }
    const completions = this.#completions.slice(0, MAX_COMPLETIONS);
    return { completions, cursor: Math.max(cursor, this.#dropped) + completions.length };
  }

  #drop(cursor: number): void {
    const count = Math.min(this.#completions.length, Math.max(0, cursor - this.#dropped));
    this.#completions = this.#completions.slice(count);
    this.#dropped += count;
  }
}

/** Feeds of all samplers, by sampler and number of its clone. */
export class CompletionFeeds {
  readonly #clock: Clock;
  readonly #feeds = new Map<string, Map<number, CompletionFeed>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(samplerId: string, clone: number): CompletionFeed {
    const clones = this.#feeds.get(samplerId) ?? new Map<number, CompletionFeed>();
    this.#feeds.set(samplerId, clones);
    const feed = clones.get(clone) ?? new CompletionFeed(this.#clock);
    clones.set(clone, feed);
    return feed;
  }

  /** Forgets a sampler whose session is finished. */
  remove(samplerId: string): void {
    this.#feeds.delete(samplerId);
  }
}
