import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { LedgerEntry } from "../ledger-entry.js";
import type { ListenOptions } from "../listen-options.js";
import type { SeenRequest } from "../seen-request.js";
import { type Authority, authorityOfThisProcess } from "./authority.js";
import { moveChooser } from "./choose-move.js";
import { Ledger } from "./ledger.js";
import { performMove, Stage } from "./perform-move.js";
import { type OnRequest, serveHttp1 } from "./serve-http1.js";
import { http2Server, type TakeOver } from "./serve-http2.js";
import { serveSocks } from "./serve-socks.js";
import { beforeHandshake, secureSocket } from "./shake-hands.js";

/** What a listener reports as it happens. */
export interface ListenerEvents {
  /**
   * @param waiting - how many requests have no answer yet, this one included
   * @param proceed - lets the server act on the request
   */
  onRequest(request: SeenRequest, waiting: number, proceed: () => void): void;
  onOpened(connection: number): void;
  onClosed(connection: number): void;
}

/** One server on a free loopback port, over bare sockets, so that it can do what no HTTP library does. */
export class HostileListener {
  readonly #options: ListenOptions;
  readonly #events: ListenerEvents;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #ledger = new Ledger();
  readonly #stage = new Stage(this.#ledger);
  readonly #onRequest: OnRequest;
  readonly #secure: TakeOver;
  /** Certificate of the authority that signed the server's, in PEM; absent without TLS. */
  readonly ca: string | undefined;
  #connections = 0;

  private constructor(options: ListenOptions, events: ListenerEvents, authority: Authority | undefined) {
    this.#options = options;
    this.#events = events;
    this.ca = authority?.ca;
    this.#onRequest = this.#requestHandler();
    this.#secure = takeOver(options, authority, this.#onRequest, this.#stage);
    // Over HTTP/2 there is no half-closing, and a session would never see that its client has gone.
    const allowHalfOpen = options.http2 !== true;
    this.#server = createServer({ allowHalfOpen, noDelay: true }, (socket) => this.#serve(socket));
  }

  static async start(options: ListenOptions, events: ListenerEvents): Promise<HostileListener> {
    const authority = options.tls === undefined ? undefined : await authorityOfThisProcess();
    const listener = new HostileListener(options, events, authority);
    await new Promise<void>((resolve) => listener.#server.listen(0, "127.0.0.1", resolve));
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get ledger(): LedgerEntry[] {
    return this.#ledger.entries();
  }

  /** Resets every connection there is. */
  breakConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(bare: Socket): void {
    this.#connections += 1;
    const connection = this.#connections;
    this.#sockets.add(bare);
    this.#events.onOpened(connection);
    bare.on("close", () => {
      this.#sockets.delete(bare);
      this.#events.onClosed(connection);
    });
    bare.on("error", () => {});
    if (this.#options.tls === undefined) this.#secure(bare, connection);
    else beforeHandshake(bare, this.#options.tls, () => this.#secure(bare, connection));
  }

  #requestHandler(): OnRequest {
    const choose = moveChooser(this.#options.script);
    const stage = this.#stage;
    const used = new Set<number>();
    const tells = this.#options.tellsRequests ?? true;
    return (request, line) => {
      const move = choose(request, used.has(request.connection));
      used.add(request.connection);
      this.#ledger.noteArrival(request);
      const perform = (): void => performMove(move, request, line, stage);
      if (!tells) return perform();
      for (const other of stage.unanswered) if (other.isGone) stage.unanswered.delete(other);
      stage.unanswered.add(line);
      this.#events.onRequest(request, stage.unanswered.size, perform);
    };
  }
}

/** How connections are secured: not at all where there is no authority. */
function takeOver(
  { http2 = false, socks }: ListenOptions,
  authority: Authority | undefined,
  onRequest: OnRequest,
  stage: Stage,
): TakeOver {
  if (socks !== undefined) return (bare, connection) => serveSocks(bare, connection, onRequest, socks, stage);
  if (authority === undefined) return (bare, connection) => serveHttp1(bare, bare, connection, onRequest);
  if (http2) return http2Server(authority, onRequest);
  return (bare, connection) => serveHttp1(secureSocket(bare, authority), bare, connection, onRequest);
}
