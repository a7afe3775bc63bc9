import type { buildConnector, Client, Dispatcher } from "undici";
import { type Connect, PendingConnections } from "./connect.js";

/** A handler that tells whether anybody still waits for its answer. */
export interface LeavingHandler extends Dispatcher.DispatchHandler {
  readonly isOver: boolean;
  /** Given to it with the request; says that no request went out before on this connection. */
  isFirst: boolean;
  connection: PooledConnection | undefined;
}

/** One connection, or the place of one: undici makes it when there is a request, and anew when it breaks before the request went out. */
export class PooledConnection {
  readonly client: Client;
  /** It can carry another request. */
  isFree = false;
  readonly #pending: PendingConnections;
  /** Handlers of the latest requests, those that are over included until the next comes. */
  #handlers: LeavingHandler[] = [];

  constructor(makeClient: (connect: buildConnector.connector) => Client, connect: Connect) {
    this.#pending = new PendingConnections(connect);
    this.client = makeClient(this.#pending.connect);
  }

  /** Tells whether anybody waits for an answer on it. */
  get isAwaited(): boolean {
    return this.#handlers.some(({ isOver }) => !isOver);
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: LeavingHandler): void {
    // Over HTTP/1.1 there is one at most, and it is over.
    this.#handlers = this.isAwaited ? this.#handlers.filter(({ isOver }) => !isOver) : [];
    this.#handlers.push(handler);
    handler.connection = this;
    this.isFree = this.client.dispatch(options, handler);
  }

  /** Gives up the connection if it is still being made, and nobody else waits for it. */
  leave(reason: Error): void {
    if (!this.isAwaited) this.#pending.abandon(reason);
  }

  /** Ends it at once, also while it is being made. */
  async destroy(reason: Error): Promise<void> {
    const destroyed = this.client.destroy(reason);
    this.#pending.abandon(reason);
    await destroyed;
  }
}
