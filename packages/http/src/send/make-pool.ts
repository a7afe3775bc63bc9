import type { buildConnector, Dispatcher } from "undici";
import { type ProxySettings, proxyFor } from "./proxy.js";
import type { Demand } from "./proxy-connector.js";
import { proxyConnector } from "./proxy-connector.js";
import { watchForStaleness } from "./stale-connection.js";

/** Options of the connections that are made and kept. */
export interface ConnectionOptions {
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

/**
 * Makes connections to one origin, as many as it takes, through the proxy where there is one.
 *
 * @param demand - count of those who wait for the connections that are made through a proxy
 */
export function makePool(
  undici: typeof import("undici"),
  origin: string,
  options: ConnectionOptions,
  demand?: Demand,
): Dispatcher {
  const { connectTimeoutMs, keepAliveMs, http2, ca } = options;
  const tls = ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] };
  const shared = {
    connections: null,
    pipelining: http2 ? HTTP2_STREAMS : 1,
    allowH2: http2,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: 2 * keepAliveMs,
  };
  const address = proxyFor(origin, options.proxy);
  const proxy = address === undefined ? undefined : new URL(address);
  if (proxy?.protocol.startsWith("socks")) {
    return new undici.ProxyAgent({
      ...shared,
      uri: proxy.href,
      requestTls: { ...tls, timeout: connectTimeoutMs },
    });
  }
  const settings = { ...tls, timeout: connectTimeoutMs, allowH2: http2, autoSelectFamily: true };
  // The option type joins three kinds of socket and so asks for a port, which comes with each target.
  const direct = undici.buildConnector(settings as buildConnector.BuildOptions);
  const connect =
    proxy === undefined
      ? direct
      : proxyConnector(undici, { proxy, connectTimeoutMs, secure: direct, demand });
  return new undici.Pool(origin, {
    ...shared,
    connect: (target, done) =>
      connect(target, (...outcome) => {
        if (outcome[0] === null) watchForStaleness(outcome[1]);
        done(...outcome);
      }),
  });
}
