import { type Clock, deferred } from "@tinkex/base";
import { type CheckpointPlace, type CheckpointRecord, checkpointUri } from "./checkpoint-record.js";

/** Longest sleep, after which the clock is looked at again: somebody may have set it. */
const MAX_SLEEP_MS = 60_000;

interface Expiry {
  readonly place: CheckpointPlace;
  readonly atMs: number;
}

/** Calls of a watch to the store whose checkpoints it knows. */
export interface ExpiringStore {
  /** Removes the checkpoint of this place if its time is over; returns it otherwise, undefined where there is none. */
  look(place: CheckpointPlace): Promise<CheckpointRecord | undefined>;
  /** Is told of a look that failed. */
  onFailure(place: CheckpointPlace, error: unknown): void;
}

/** Timer that has checkpoints removed when their time is over, although nobody lists them. */
export class ExpiryWatch {
  readonly #clock: Clock;
  readonly #store: ExpiringStore;
  readonly #expiries = new Map<string, Expiry>();
  readonly #closed = new AbortController();
  #woken = deferred<void>();
  #running: Promise<void> | undefined;

  constructor(clock: Clock, store: ExpiringStore) {
    this.#clock = clock;
    this.#store = store;
  }

  /** Notes when a checkpoint expires, in the place of what was known of one of its name. */
  note(record: CheckpointRecord): void {
    const { expires_at: expiresAt } = record;
    if (expiresAt === undefined) this.#expiries.delete(checkpointUri(record));
    else this.#expiries.set(checkpointUri(record), { place: record, atMs: Date.parse(expiresAt) });
    this.#woken.resolve();
  }

  /**
   * Notes what was read on the disk some time ago: a change of the checkpoint may have been noted since, which counts as well. A look
   * that comes too early does no harm.
   */
  found(record: CheckpointRecord): void {
    const { expires_at: expiresAt } = record;
    if (expiresAt === undefined) return;
    const known = this.#expiries.get(checkpointUri(record));
    if (known === undefined || Date.parse(expiresAt) < known.atMs) this.note(record);
  }

  /** Begins to remove. Its timers do not keep the process alive. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends once what is being removed is gone. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#woken.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      this.#woken = deferred();
      for (const expiry of this.#expiries.values()) {
        if (expiry.atMs <= this.#clock.now() && !this.#closed.signal.aborted) await this.#expire(expiry);
      }
      await this.#sleep();
    }
  }

  async #expire({ place }: Expiry): Promise<void> {
    this.#expiries.delete(checkpointUri(place));
    try {
      // A checkpoint of this name that was saved meanwhile has a time of its own.
      const record = await this.#store.look(place);
      if (record !== undefined) this.found(record);
    } catch (error) {
      this.#store.onFailure(place, error);
    }
  }

  /** Waits for the next expiry, for one more to be noted, or for the end. */
  async #sleep(): Promise<void> {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { atMs } of this.#expiries.values()) nextMs = Math.min(nextMs, atMs);
    if (nextMs === Number.POSITIVE_INFINITY) return this.#woken.promise;
    const done = new AbortController();
    const ms = Math.min(MAX_SLEEP_MS, Math.max(0, nextMs - this.#clock.now()));
    const slept = this.#clock.sleep(ms, done.signal, { background: true }).catch(() => {});
    await Promise.race([slept, this.#woken.promise]);
    done.abort();
  }
}
