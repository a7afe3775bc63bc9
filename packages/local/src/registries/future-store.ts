import type { Clock } from "@tinkex/base";
import { OperationFailure } from "../errors/operation-failure.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import type { OperationTracing } from "./operation-tracing.js";

/** The store is walked for expired results at most this often. */
const SWEEP_INTERVAL_MS = 1_000;

/** State of a future at the time of the question. */
export type FutureAnswer<T> =
  | { readonly state: "pending" }
  | { readonly state: "done"; readonly value: T }
  | { readonly state: "failed"; readonly failure: FailureWords };

/** Message and category of a failure, kept in place of the error: its stack holds the request that it was made in, with 64 KiB of a body. */
export type FailureWords = Pick<OperationFailure, "message" | "category">;

export interface FutureStoreOptions {
  readonly clock: Clock;
  /** Tells the ids of one life of a server from those of another. */
  readonly instanceId: string;
  /** Milliseconds for which a result is kept after it was last delivered. */
  readonly keepDeliveredMs: number;
  /** Milliseconds for which a result is kept that nobody fetches. */
  readonly keepUnfetchedMs: number;
  /** Follows each operation to its end. */
  readonly tracing?: Pick<OperationTracing, "follow"> | undefined;
}

/** Key and content that make a submission the same as an earlier one. */
export interface SubmissionIdentity {
  /** Names the place of the request, e.g. model and sequence id. */
  readonly key: string;
  readonly fingerprint: string;
}

export interface SubmissionOptions {
  readonly owner?: string;
  readonly onSettled?: (requestId: string, state: "finished" | "failed") => void;
  /** Hears when the result is kept no longer. */
  readonly onGone?: (requestId: string) => void;
}

interface Entry<T> {
  answer: FutureAnswer<T>;
  /** Let go of once it has settled, with the reason of an abort. */
  canceller: AbortController | undefined;
  /** Session whose work it is. */
  readonly owner: string | undefined;
  readonly settled: Promise<void>;
  readonly identity: SubmissionIdentity | undefined;
  readonly onGone: ((requestId: string) => void) | undefined;
  expiresAt: number;
}

/**
 * Results of operations, from submission until some time after they were fetched. A result outlives its delivery, since
 * the answer may have been lost on the way; a resent submission finds the id of the first one.
 */
export class FutureStore<T> {
  readonly #options: FutureStoreOptions;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #idsByKey = new Map<string, string>();
  #issued = 0;
  #nextSweepAt = 0;

  constructor(options: FutureStoreOptions) {
    this.#options = options;
  }

  /**
   * Starts an operation and returns its request id at once; when `identity` was seen before, the operation is not
   * started and the earlier id is returned.
   *
   * @param start - is given a signal that fires when nobody wants the result any more, with an OperationFailure as its reason
   * @param options.owner - session whose work it is, for {@link cancelOwned}
   * @param options.onSettled - hears when it is done or has failed
   * @param options.onGone - hears when its result is kept no longer
   * @throws RequestRefusal 409 when the same key came with another body, and whatever `start` throws synchronously
   */
  submit(
    identity: SubmissionIdentity | undefined,
    start: (cancelled: AbortSignal) => Promise<T>,
    { owner, onSettled, onGone }: SubmissionOptions = {},
  ): string {
    this.#dropExpired();
    if (identity !== undefined) {
      const known = this.#idsByKey.get(identity.key);
      if (known !== undefined) {
        if (this.#entries.get(known)?.identity?.fingerprint === identity.fingerprint) return known;
        throw new RequestRefusal(
          409,
          `the sequence number of ${identity.key} was used before for another request`,
        );
      }
    }
    const canceller = new AbortController();
    const { tracing } = this.#options;
    const work =
      tracing === undefined ? start(canceller.signal) : tracing.follow(() => start(canceller.signal));
    this.#issued += 1;
    const requestId = `${this.#options.instanceId}-${this.#issued}`;
    const entry: Entry<T> = {
      answer: { state: "pending" },
      canceller,
      owner,
      settled: work
        .then(
          (value) => this.#settle(entry, { state: "done", value }),
          (error: unknown) => this.#settle(entry, { state: "failed", failure: wordsOf(error) }),
        )
        .then(() => onSettled?.(requestId, entry.answer.state === "done" ? "finished" : "failed")),
      identity,
      onGone,
      expiresAt: Number.POSITIVE_INFINITY,
    };
    this.#entries.set(requestId, entry);
    if (identity !== undefined) this.#idsByKey.set(identity.key, requestId);
    return requestId;
  }

  /** Tells an operation that nobody wants its result any more. One that is settled, or gone, stays as it is. */
  cancel(requestId: string, reason: OperationFailure): void {
    this.#entries.get(requestId)?.canceller?.abort(reason);
  }

  /** Cancels all pending operations of a session. Returns how many there were. */
  cancelOwned(owner: string, reason: OperationFailure): number {
    const pending = [...this.#entries.values()].filter(
      (entry) => entry.owner === owner && entry.answer.state === "pending",
    );
    for (const { canceller } of pending) canceller?.abort(reason);
    return pending.length;
  }

  /** Sessions that have pending operations of their own. */
  pendingOwners(): ReadonlySet<string> {
    const owners = new Set<string>();
    for (const { owner, answer } of this.#entries.values()) {
      if (owner !== undefined && answer.state === "pending") owners.add(owner);
    }
    return owners;
  }

  /** Tells whether a request with this key was already submitted. */
  has(key: string): boolean {
    return this.#idsByKey.has(key);
  }

  /**
   * Waits until the future is settled, but no longer than `holdMs`. Rejects only when `signal` aborts.
   *
   * @throws RequestRefusal 410 when the id was issued and its result is gone, 404 when this server never issued it
   */
  async wait(requestId: string, holdMs: number, signal: AbortSignal): Promise<FutureAnswer<T>> {
    const entry = this.#entry(requestId);
    if (entry.answer.state === "pending") {
      signal.throwIfAborted();
      const hold = new AbortController();
      const stop = () => hold.abort(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      try {
        await Promise.race([entry.settled, this.#options.clock.sleep(holdMs, hold.signal)]);
      } finally {
        signal.removeEventListener("abort", stop);
        hold.abort();
      }
    }
    return entry.answer;
  }

  /** Notes that the whole answer reached its reader; from now on the result is kept for a limited time. */
  markDelivered(requestId: string): void {
    const entry = this.#entries.get(requestId);
    if (entry !== undefined)
      entry.expiresAt = this.#options.clock.monotonic() + this.#options.keepDeliveredMs;
  }

  #entry(requestId: string): Entry<T> {
    const entry = this.#entries.get(requestId);
    if (entry !== undefined && entry.expiresAt > this.#options.clock.monotonic()) return entry;
    const [, instance, number] = /^(.+)-(\d+)$/.exec(requestId) ?? [];
    if (instance === this.#options.instanceId && Number(number) >= 1 && Number(number) <= this.#issued) {
      throw new RequestRefusal(
        410,
        `the result of ${requestId} was kept for a while and is gone; submit again`,
      );
    }
    throw new RequestRefusal(
      404,
      `no future ${requestId}: it was never issued, or by an earlier run of this server`,
    );
  }

  #settle(entry: Entry<T>, answer: FutureAnswer<T>): void {
    entry.answer = answer;
    entry.canceller = undefined;
    entry.expiresAt = this.#options.clock.monotonic() + this.#options.keepUnfetchedMs;
  }

  #dropExpired(): void {
    const now = this.#options.clock.monotonic();
    if (now < this.#nextSweepAt) return;
    this.#nextSweepAt = now + SWEEP_INTERVAL_MS;
    for (const [requestId, entry] of this.#entries) {
      if (entry.expiresAt > now) continue;
      this.#entries.delete(requestId);
      if (entry.identity !== undefined) this.#idsByKey.delete(entry.identity.key);
      entry.onGone?.(requestId);
    }
  }
}

function wordsOf(error: unknown): FailureWords {
  const { message, category } = OperationFailure.from(error);
  return { message, category };
}
