import type { Client, Dispatcher } from "undici";

/** A handler that tells whether anybody still waits for its answer. */
export interface LeavingHandler extends Dispatcher.DispatchHandler {
  readonly isOver: boolean;
  /** Says that no request went out before on the connection that it was given. */
  isFirst: boolean;
}

/** One connection, or the place of one. */
interface Place {
  readonly client: Client;
  latest: LeavingHandler;
  /** It can carry another request. */
  isFree: boolean;
}

/**
 * Connections to one origin, as many as there are requests under way. A place goes when its connection does: undici's own `Pool`
 * keeps one for each request there ever was at a time, and looks through all of them for one that is free.
 */
export class ConnectionPool {
  readonly #makeClient: () => Client;
  readonly #places = new Set<Place>();
  /** The last one came free last: its connection is the least likely to have been closed meanwhile. */
  readonly #free: Place[] = [];

  constructor(makeClient: () => Client) {
    this.#makeClient = makeClient;
  }

  /** Number of connections, those that are being made included. */
  get size(): number {
    return this.#places.size;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: LeavingHandler): boolean {
    const kept = this.#free.pop();
    handler.isFirst = kept === undefined;
    const place = kept ?? this.#makePlace(handler);
    place.latest = handler;
    place.isFree = place.client.dispatch(options, handler);
    // Over HTTP/2 a connection carries more than one.
    if (place.isFree) this.#free.push(place);
    return true;
  }

  /** Lets what is under way finish. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#places, ({ client }) => client.close()));
  }

  /** Ends everything at once. */
  async destroy(): Promise<void> {
    await Promise.all(Array.from(this.#places, ({ client }) => client.destroy()));
  }

  #makePlace(handler: LeavingHandler): Place {
    const client = this.#makeClient();
    const place = { client, latest: handler, isFree: false };
    this.#places.add(place);
    client.on("drain", () => {
      if (place.isFree || !this.#places.has(place)) return;
      place.isFree = true;
      this.#free.push(place);
    });
    client.on("disconnect", () => {
      // A request that waits there gets a new connection, unless it was left: undici would connect for that too (nodejs/undici#5845).
      if (client.stats.size > (place.latest.isOver ? 1 : 0)) return;
      this.#forget(place);
      if (!client.closed) client.destroy().catch(() => {});
    });
    // All that waited for it has failed.
    client.on("connectionError", () => this.#forget(place));
    return place;
  }

  #forget(place: Place): void {
    this.#places.delete(place);
    const at = this.#free.lastIndexOf(place);
    if (at >= 0) this.#free.splice(at, 1);
  }
}
