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
 * gives a cursor at or behind it, or until its result is gone.
 */
export class CompletionFeed {
  readonly #clock: Clock;
  /** By request id, in the order of their cursors. */
  readonly #completions = new Map<
    string,
    { readonly completion: FutureCompletion; readonly cursor: number }
  >();
  #lastCursor = 0;
  /** Cursor of the last completion that was read. */
  #readCursor = 0;
  #added = deferred<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(completion: FutureCompletion): void {
    this.#lastCursor += 1;
    this.#completions.set(completion.request_id, { completion, cursor: this.#lastCursor });
    this.#added.resolve();
    this.#added = deferred();
  }

  /** Forgets a completion whose result is gone. */
  forget(requestId: string): void {
    this.#completions.delete(requestId);
  }

  /** Waits until something finished behind the cursor, but no longer than `holdMs`. Rejects only when `signal` aborts. */
  async read(cursor: number, holdMs: number, signal: AbortSignal): Promise<FeedAnswer> {
    this.#drop(cursor);
    if (this.#completions.size === 0 && holdMs > 0) {
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
    const completions: FutureCompletion[] = [];
    let last = this.#readCursor;
    for (const { completion, cursor: own } of this.#completions.values()) {
      if (completions.length === MAX_COMPLETIONS) break;
      completions.push(completion);
      last = own;
    }
    return { completions, cursor: last };
  }

  /** Forgets what was read. A cursor that was never given belongs to an earlier life of the server: its reader has read nothing. */
  #drop(cursor: number): void {
    if (cursor > this.#lastCursor) return;
    this.#readCursor = Math.max(this.#readCursor, cursor);
    for (const [requestId, { cursor: own }] of this.#completions) {
      if (own > cursor) break;
      this.#completions.delete(requestId);
    }
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
