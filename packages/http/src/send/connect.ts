import { Socket } from "node:net";
import type { buildConnector } from "undici";

/** Gives up a connection that is being made; `done` is told the reason. Does nothing once it stands or has failed. */
export type Abandon = (reason: Error) => void;

/** Makes one connection, as a connector of undici does, and gives back how to abandon it. */
export type Connect = (target: buildConnector.Options, done: buildConnector.Callback) => Abandon;

/** Lets the connections of one of undici's connectors be abandoned: it returns their sockets, which its type does not tell. */
export function withAbandon(connector: buildConnector.connector): Connect {
  return (target, done) => {
    let isOver = false;
    const socket: unknown = connector(target, (...outcome) => {
      isOver = true;
      done(...outcome);
    });
    return (reason) => {
      if (!isOver && socket instanceof Socket) socket.destroy(reason);
    };
  };
}

/** Connections that are being made, so that they can be given up: undici would complete them for nobody, and keep them. */
export class PendingConnections {
  readonly #abandons = new Set<Abandon>();
  readonly connect: buildConnector.connector;

  constructor(connect: Connect) {
    this.connect = (target, done) => {
      const abandon = connect(target, (...outcome) => {
        this.#abandons.delete(abandon);
        done(...outcome);
      });
      this.#abandons.add(abandon);
    };
  }

  abandon(reason: Error): void {
    for (const abandon of this.#abandons) abandon(reason);
  }
}
