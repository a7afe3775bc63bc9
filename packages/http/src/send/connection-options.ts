import type { Socket } from "node:net";
import type { buildConnector, Client } from "undici";
import { type Connect, withAbandon } from "./connect.js";
import type { UndiciParts } from "./load-undici.js";
import { type ProxySettings, proxyFor } from "./proxy.js";
import { proxyConnector } from "./proxy-connector.js";
import { watchForStaleness } from "./stale-connection.js";

/** Settings of the connections that are made and kept. */
export interface ConnectionSettings {
  /** Limit for making a connection, proxy and TLS included, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Time for which an unused connection is kept, in milliseconds; longer than the 10 s between two heartbeats. */
  readonly keepAliveMs: number;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca: string | readonly string[] | undefined;
  /** Speaks HTTP/2 where a server offers it over TLS. */
  readonly http2: boolean;
  readonly proxy: ProxySettings;
}

/** Limits of a connection where the user gives none. The second is longer than the pauses between most tries. */
export const DEFAULT_CONNECTIONS = { connectTimeoutMs: 5_000, keepAliveMs: 30_000 };

/** Most requests that share one HTTP/2 connection. */
const HTTP2_STREAMS = 100;

/** Options of undici for connections to one origin. */
export interface ConnectionOptions extends Client.Options {
  readonly connect: Connect;
}

/**
 * Gives the options of undici for connections to one origin, through the proxy where there is one.
 *
 * @param isBackground - the connections keep no process alive, not even with a request under way
 */
export function connectionOptions(
  undici: UndiciParts,
  origin: string,
  settings: ConnectionSettings,
  isBackground = false,
): ConnectionOptions {
  const { connectTimeoutMs, keepAliveMs, http2 } = settings;
  const ca = settings.ca === undefined ? [] : [settings.ca].flat();
  const address = proxyFor(origin, settings.proxy);
  const toServer = {
    ...(ca.length === 0 ? {} : { ca }),
    timeout: connectTimeoutMs,
    allowH2: http2,
    autoSelectFamily: true,
  };
  // The option type joins three kinds of socket and so asks for a port, which comes with each target.
  const direct = undici.buildConnector(toServer as buildConnector.BuildOptions);
  const connect =
    address === undefined
      ? withAbandon(direct)
      : proxyConnector(undici, { proxy: new URL(address), connectTimeoutMs, ca, secure: direct });
  return {
    pipelining: http2 ? HTTP2_STREAMS : 1,
    allowH2: http2,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 2 * keepAliveMs,
    connect: (target, done) =>
      connect(target, (...outcome) => {
        if (outcome[0] === null) {
          watchForStaleness(outcome[1]);
          if (isBackground) letGo(outcome[1]);
        }
        done(...outcome);
      }),
  };
}

/** Lets a process end in spite of a socket, for good: undici takes hold of it again with each request. */
function letGo(socket: Socket): void {
  socket.unref();
  socket.ref = () => socket;
}
