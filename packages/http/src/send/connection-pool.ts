import type { buildConnector, Client, Dispatcher } from "undici";
import type { Connect } from "./connect.js";
import { type LeavingHandler, PooledConnection } from "./pooled-connection.js";

/** Reason of undici's errors for requests that nobody waits for any more. */
const CLOSED = new Error("the connections were closed");

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
    handler.isFirst = kept === undefined;
    const connection = kept ?? this.#add();
    connection.dispatch(options, handler);
    // Over HTTP/2 a connection carries more than one.
    if (connection.isFree) this.#free.push(connection);
  }

  /** Lets what is under way finish. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#connections, ({ client }) => client.close()));
  }

  /** Ends everything at once. */
  async destroy(): Promise<void> {
    await Promise.all(Array.from(this.#connections, (connection) => connection.destroy(CLOSED)));
  }

  #add(): PooledConnection {
    const connection = new PooledConnection(this.#makeClient, this.#connect);
    const { client } = connection;
    this.#connections.add(connection);
    client.on("drain", () => {
      if (connection.isFree || !this.#connections.has(connection)) return;
      connection.isFree = true;
      this.#free.push(connection);
    });
    client.on("disconnect", () => {
      // A request that waits there gets a new connection, unless it was left: undici would connect for that too (nodejs/undici#5845).
      if (connection.isAwaited) return;
      this.#forget(connection);
      if (!client.closed) client.destroy().catch(() => {});
    });
    // All that waited for it has failed.
    client.on("connectionError", () => this.#forget(connection));
    return connection;
  }

  #forget(connection: PooledConnection): void {
    this.#connections.delete(connection);
    const at = this.#free.lastIndexOf(connection);
    if (at >= 0) this.#free.splice(at, 1);
  }
}
