import { deserialize, serialize } from "node:v8";
import { type Clock, errorMessage, type Logger } from "@tinkex/base";
import type { AdapterSnapshot } from "./recoverable-engine.js";

/** Time after which an adapter that nobody used is moved out of memory. A debugger may hold its client for longer. */
export const MAX_IDLE_MS = 5 * 60_000;
/** Time between two looks at what is idle. */
const LOOK_INTERVAL_MS = 60_000;

/** Store of the states of adapters that are not in memory. */
export interface AdapterStore {
  /** Keeps a state, and gives the name to ask for it by. */
  keep(state: Uint8Array): Promise<string>;
  fetch(name: string): Promise<Uint8Array>;
  remove(name: string): Promise<void>;
  /** Removes all that it keeps. */
  close(): Promise<void>;
}

export interface IdleAdaptersOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: AdapterStore;
  /** Gives the state of an adapter to which nothing is being done; nothing for one that is not there. */
  copy(adapterId: string): AdapterSnapshot | undefined;
  /** Lets go of its memory. */
  drop(adapterId: string): Promise<void>;
  /** Makes it anew. */
  restore(adapterId: string, state: AdapterSnapshot): Promise<void>;
}

interface Place {
  readonly adapterId: string;
  /** Number of calls that use it, or wait to. */
  users: number;
  lastUsedMs: number;
  /** Name of its state in the store while it is not in memory. */
  stored: string | undefined;
  /** Move out of memory, which none begins that is in use. Never rejects. */
  leaving: Promise<void>;
  /** Move back into memory, while one is under way. */
  coming: Promise<void> | undefined;
}

/**
 * Cache of adapters by use: those that nobody has used for minutes wait in a store, with moments and gradients, until the next call to
 * them. A client that was killed never comes for its own, and its memory would be gone for as long as the server runs.
 */
export class IdleAdapters {
  readonly #options: IdleAdaptersOptions;
  readonly #places = new Map<string, Place>();
  readonly #closed = new AbortController();
  #watching: Promise<void> | undefined;

  constructor(options: IdleAdaptersOptions) {
    this.#options = options;
  }

  /** Runs `work` with adapters in memory. Calls to one adapter begin in their order. */
  use<T>(adapterIds: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#hold([...new Set(adapterIds)], async (places) => {
      await Promise.all(places.map((place) => this.#bringIn(place)));
      return work();
    });
  }

  /** Forgets an adapter: `release` lets go of its memory, where it is there. */
  forget(adapterId: string, release: () => Promise<void>): Promise<void> {
    return this.#hold([adapterId], async ([place]) => {
      this.#places.delete(adapterId);
      // In as many turns as a call takes that comes before this one.
      await Promise.all([arrived(place)]);
      if (place?.stored === undefined) await release();
      else await this.#options.store.remove(place.stored);
    });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#watching;
    await this.#options.store.close();
  }

  #placeOf(adapterId: string): Place {
    const known = this.#places.get(adapterId);
    if (known !== undefined) return known;
    const place: Place = {
      adapterId,
      users: 0,
      lastUsedMs: 0,
      stored: undefined,
      leaving: Promise.resolve(),
      coming: undefined,
    };
    this.#places.set(adapterId, place);
    return place;
  }

  /** Runs `work` once its adapters are not just leaving memory, and lets none leave meanwhile. */
  async #hold<T>(adapterIds: readonly string[], work: (places: readonly Place[]) => Promise<T>): Promise<T> {
    const places = adapterIds.map((adapterId) => this.#placeOf(adapterId));
    for (const place of places) place.users += 1;
    try {
      // All at once, so that a call with two adapters begins before a later one with either of them.
      await Promise.all(places.map(({ leaving }) => leaving));
      return await work(places);
    } finally {
      const { clock } = this.#options;
      for (const place of places) {
        place.users -= 1;
        place.lastUsedMs = clock.monotonic();
      }
      this.#watching ??= this.#watch();
    }
  }

  /** Looks again and again, until nothing is in memory. Its sleeps do not keep the process alive. */
  async #watch(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#closed;
    while ([...this.#places.values()].some(({ stored }) => stored === undefined)) {
      await clock.sleep(LOOK_INTERVAL_MS, signal, { background: true }).catch(() => {});
      if (signal.aborted) return;
      for (const place of this.#places.values()) {
        if (signal.aborted) return;
        if (!this.#isIdle(place)) continue;
        place.leaving = this.#takeOut(place).catch((error: unknown) =>
          this.#options.logger.debug(`an adapter stays in memory, because ${errorMessage(error)}`),
        );
        await place.leaving;
      }
    }
    this.#watching = undefined;
  }

  #isIdle({ users, stored, lastUsedMs }: Place): boolean {
    return users === 0 && stored === undefined && this.#options.clock.monotonic() - lastUsedMs >= MAX_IDLE_MS;
  }

  async #takeOut(place: Place): Promise<void> {
    const { copy, drop, store } = this.#options;
    const { adapterId } = place;
    const state = copy(adapterId);
    if (state === undefined) {
      // A call to it failed, or it went with an engine that ended.
      if (place.users === 0) this.#places.delete(adapterId);
      return;
    }
    const stored = await store.keep(serialize(state));
    // Somebody has come for it meanwhile.
    if (place.users > 0) return store.remove(stored);
    place.stored = stored;
    await drop(adapterId);
  }

  async #bringIn(place: Place): Promise<void> {
    if (place.stored === undefined) return;
    place.coming ??= this.#fetch(place, place.stored).finally(() => {
      place.coming = undefined;
    });
    await place.coming;
  }

  async #fetch(place: Place, stored: string): Promise<void> {
    const { store, restore } = this.#options;
    // It was written by this very process.
    await restore(place.adapterId, deserialize(await store.fetch(stored)) as AdapterSnapshot);
    place.stored = undefined;
    await store.remove(stored).catch(() => {});
  }
}

async function arrived(place: Place | undefined): Promise<void> {
  if (place?.coming !== undefined) await place.coming.catch(() => {});
}
