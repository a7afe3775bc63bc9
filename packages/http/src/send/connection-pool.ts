import type { buildConnector, Client, Dispatcher } from "undici";
import { type Connect, PendingConnections } from "./connect.js";

/** A handler that tells whether anybody still waits for its answer. */
export interface LeavingHandler extends Dispatcher.DispatchHandler {
  readonly isOver: boolean;
  /** Says that no request went out before on the connection that it was given. */
  isFirst: boolean;
  connection: PooledConnection | undefined;
}

/** Reason of undici's errors for requests that nobody waits for any more. */
const CLOSED = new Error("the connections were closed");

/** One connection, or the place of one: undici makes it for a request, and anew where it breaks before the request went out. */
class PooledConnection {
  readonly client: Client;
  /** It can carry another request. */
  isFree = false;
  /** Handlers of the latest requests, some of which may be over. */
  readonly handlers: LeavingHandler[] = [];
  readonly #pending: PendingConnections;
  readonly #pool: ConnectionPool;

  constructor(
    makeClient: (connect: buildConnector.connector) => Client,
    connect: Connect,
    pool: ConnectionPool,
  ) {
    this.#pending = new PendingConnections(connect);
    this.client = makeClient(this.#pending.connect);
    this.#pool = pool;
  }

  /**
   * Notes that an answer is whole. undici says so itself, but only in a later turn of the event loop: the request that follows from
   * the answer would make a connection of its own.
   */
  answered(): void {
    if (!this.isAwaited) this.#pool.setFree(this);
  }

  /** Tells whether anybody waits for an answer on it. */
  get isAwaited(): boolean {
    for (const { isOver } of this.handlers) if (!isOver) return true;
    return false;
  }

  /** Gives up the connection if it is still being made, and nobody else waits for it. */
  leave(reason: Error): void {
    if (!this.isAwaited) this.#pending.abandon(reason);
  }

  /** Ends it at once, also while it is being made. */
  async destroy(): Promise<void> {
    const destroyed = this.client.destroy(CLOSED);
    this.#pending.abandon(CLOSED);
    await destroyed;
  }
}

/**
 * Connections to one origin, as many as there are requests under way. A place goes when its connection does: undici's own `Pool`
 * keeps one for each request there ever was at a time, and looks through all of them for one that is free.
 */
export class ConnectionPool {
  readonly #makeClient: (connect: buildConnector.connector) => Client;
  readonly #connect: Connect;
  readonly #connections = new Set<PooledConnection>();
  /** The last one came free last: its connection is the least likely to have been closed meanwhile. */
  readonly #free: PooledConnection[] = [];

  constructor(makeClient: (connect: buildConnector.connector) => Client, connect: Connect) {
    this.#makeClient = makeClient;
    this.#connect = connect;
  }

  /** Number of connections, those that are being made included. */
  get size(): number {
    return this.#connections.size;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: LeavingHandler): void {
    const kept = this.#free.pop();
    const connection = kept ?? this.#add();
    const { client, handlers } = connection;
    handler.isFirst = kept === undefined;
    handler.connection = connection;
    let count = 0;
    for (const earlier of handlers) {
      if (earlier.isOver) continue;
      handlers[count] = earlier;
      count += 1;
    }
    handlers[count] = handler;
    handlers.length = count + 1;
    connection.isFree = client.dispatch(options, handler);
    // A request that undici itself refuses asks for no connection, so none will tell that it is free or gone.
    if (handler.isOver && !connection.isFree) {
      if (kept !== undefined) this.setFree(kept);
      else this.#drop(connection);
      return;
    }
    // Over HTTP/2 a connection carries more than one.
    if (connection.isFree) this.#free.push(connection);
  }

  /** Lets what is under way finish. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#connections, ({ client }) => client.close()));
  }

  /** Ends everything at once. */
  async destroy(): Promise<void> {
    await Promise.all(Array.from(this.#connections, (connection) => connection.destroy()));
  }

  #add(): PooledConnection {
    const connection = new PooledConnection(this.#makeClient, this.#connect, this);
    const { client } = connection;
    this.#connections.add(connection);
    client.on("drain", () => this.setFree(connection));
    client.on("disconnect", () => {
      // A request that waits there gets a new connection, unless it was left: undici would connect for that too (nodejs/undici#5845).
      if (connection.isAwaited) return;
      this.#drop(connection);
    });
    // All that waited for it has failed.
    client.on("connectionError", () => this.#forget(connection));
    return connection;
  }

  /** Notes that a connection can carry another request. */
  setFree(connection: PooledConnection): void {
    if (connection.isFree || !this.#connections.has(connection)) return;
    connection.isFree = true;
    this.#free.push(connection);
  }

  #drop(connection: PooledConnection): void {
    this.#forget(connection);
    if (!connection.client.closed) connection.client.destroy().catch(() => {});
  }

  #forget(connection: PooledConnection): void {
    this.#connections.delete(connection);
    const at = this.#free.lastIndexOf(connection);
    if (at >= 0) this.#free.splice(at, 1);
  }
}
