import type { Socket } from "node:net";
import { startTimer } from "@tinkex/base";
import type { buildConnector } from "undici";
import { TunnelError } from "../errors/tunnel-error.js";
import { tunnelAnswer } from "./tunnel-answer.js";

type Undici = typeof import("undici");
type Connect = buildConnector.connector;
type Target = buildConnector.Options;

/** Route of a connection through a proxy. */
export interface ProxyRoute {
  /** The proxy's address, its user name and password included. */
  readonly proxy: URL;
  /** Limit for all of it: reaching the proxy, its answer to CONNECT, TLS with the server behind. */
  readonly connectTimeoutMs: number;
  /** Makes TLS with the server behind, over a connection that stands. */
  readonly secure: Connect;
  /** Count of those who wait. A connection that nobody waits for any more is not carried on; where it is not known, somebody does. */
  readonly demand: Demand | undefined;
}

/**
 * Makes connections through an HTTP proxy, with one CONNECT each. undici's own `ProxyAgent` asks again at once, and for ever,
 * when a proxy closes the connection (nodejs/undici#3897).
 */
export function proxyConnector(undici: Undici, route: ProxyRoute): Connect {
  const { proxy, connectTimeoutMs, secure, demand } = route;
  const reachProxy = undici.buildConnector({ timeout: connectTimeoutMs } as buildConnector.BuildOptions);
  return (target, done) => {
    let reached: Socket | undefined;
    let isOver = false;
    const finish = (...outcome: Parameters<typeof done>): void => {
      if (isOver) return;
      isOver = true;
      stopTimer();
      stopWatching();
      if (outcome[0] !== null) reached?.destroy();
      done(...outcome);
    };
    const stopTimer = startTimer(connectTimeoutMs, () => {
      const what = `no connection through the proxy within ${connectTimeoutMs} ms`;
      finish(new undici.errors.ConnectTimeoutError(what), null);
    });
    const abandon = (): void => finish(new undici.errors.RequestAbortedError("nobody waits for it"), null);
    const stopWatching = demand?.onEnd(abandon) ?? (() => {});
    const tunnel = async (socket: Socket): Promise<void> => {
      reached = socket;
      // A connection may break while nobody reads it; whoever does next finds out.
      socket.on("error", () => {});
      if (isOver) return void socket.destroy();
      const answered = tunnelAnswer(socket);
      socket.write(connectHead(proxy, target));
      await answered;
      if (isOver) return;
      if (target.protocol === "https:") secure({ ...target, httpSocket: socket }, finish);
      else finish(null, socket);
    };
    reachProxy(addressOf(proxy), (error, socket) => {
      if (error === null) tunnel(socket).catch((cause: Error) => finish(cause, null));
      else finish(error instanceof undici.errors.ConnectTimeoutError ? error : TunnelError.of(error), null);
    });
  };
}

function addressOf({ hostname, host, protocol, port }: URL): Target {
  return { hostname: hostname.replace(/^\[|\]$/g, ""), host, protocol, port };
}

function connectHead({ username, password }: URL, { host = "", port, protocol }: Target): string {
  const authority = port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `host: ${authority}`, "proxy-connection: keep-alive"];
  if (username !== "" || password !== "") {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    lines.push(`proxy-authorization: Basic ${Buffer.from(credentials).toString("base64")}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Number of requests that are under way on the connections to one place, or wait for one of them. */
export class Demand {
  readonly #listeners = new Set<() => void>();
  #count = 0;

  get isWanted(): boolean {
    return this.#count > 0;
  }

  enter(): void {
    this.#count += 1;
  }

  leave(): void {
    this.#count -= 1;
    if (this.#count === 0) for (const listener of [...this.#listeners]) listener();
  }

  /** Calls `listener` when nobody is left. Returns a function that stops that. */
  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
