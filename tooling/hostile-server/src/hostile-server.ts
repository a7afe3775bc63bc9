import { type Host, hostOfThisProcess } from "./control/host.js";
import type { Notice, Reply } from "./control/messages.js";
import type { LedgerEntry } from "./ledger-entry.js";
import type { ListenOptions } from "./listen-options.js";
import type { Move } from "./script/move.js";
import type { Rule } from "./script/rule.js";
import type { SeenRequest } from "./seen-request.js";

/**
 * A server in a process of its own that does what a script of moves says. What it is sent is told here before it acts on it,
 * so when a call has settled, {@link requests} holds all that the server had seen of it.
 */
export class HostileServer {
  readonly requests: SeenRequest[] = [];
  /** Numbers of the connections that are open. */
  readonly open = new Set<number>();
  /** Numbers of the connections that are gone. */
  readonly closed = new Set<number>();
  /** Most connections open at one time. */
  mostOpen = 0;
  /** Most requests without an answer at one time. */
  mostWaiting = 0;
  readonly url: string;
  /** Certificate of the authority that signed the server's, in PEM; empty without TLS. */
  readonly ca: string;
  readonly #host: Host;
  readonly #number: number;

  private constructor(
    host: Host,
    scheme: string,
    { server, port, ca }: Reply & { readonly tell: "listening" },
  ) {
    this.#host = host;
    this.#number = server;
    this.url = `${scheme}://127.0.0.1:${port}`;
    this.ca = ca ?? "";
    host.watch(server, (notice) => this.#note(notice));
  }

  /** Does the moves in turn, one a request, and the last one for ever; rules come first. */
  static play(...script: readonly (Move | Rule)[]): Promise<HostileServer> {
    return HostileServer.start({ script });
  }

  static async start(options: ListenOptions): Promise<HostileServer> {
    const host = await hostOfThisProcess();
    const scheme = options.socks !== undefined ? "socks5" : options.tls === undefined ? "http" : "https";
    return new HostileServer(host, scheme, await host.listen(options));
  }

  /** How many connections there have been. */
  get connections(): number {
    return this.open.size + this.closed.size;
  }

  /** Values of one header over all requests, in order. */
  header(name: string): (string | undefined)[] {
    return this.requests.map((request) => request.headers[name]);
  }

  /** What is known of the calls that requests named in their header `x-hostile-call`. */
  ledger(): Promise<readonly LedgerEntry[]> {
    return this.#host.ledger(this.#number);
  }

  /** Resets every connection there is. */
  breakConnections(): Promise<void> {
    return this.#host.breakConnections(this.#number);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host.close(this.#number);
  }

  #note(notice: Notice): void {
    if (notice.tell === "request") {
      const { body, ...rest } = notice.request;
      this.mostWaiting = Math.max(this.mostWaiting, notice.waiting);
      // A buffer crosses the channel as a plain array of bytes.
      this.requests.push({ ...rest, body: Buffer.from(body) });
    } else if (notice.tell === "opened") {
      this.open.add(notice.connection);
      this.mostOpen = Math.max(this.mostOpen, this.open.size);
    } else if (notice.tell === "closed") {
      this.open.delete(notice.connection);
      this.closed.add(notice.connection);
    }
  }
}
