import type { buildConnector, Dispatcher } from "undici";
import { type ProxySettings, proxyFor } from "./proxy.js";
import { watchForStaleness } from "./stale-connection.js";

/** How connections are made and kept. */
export interface ConnectionOptions {
  /** Limit for making a connection, TLS included, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** How long an unused connection is kept, in milliseconds; longer than the 10 s between two heartbeats. */
  readonly keepAliveMs: number;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca: string | readonly string[] | undefined;
  /** Whether to speak HTTP/2 where a server offers it over TLS. */
  readonly http2: boolean;
  readonly proxy: ProxySettings;
}

/** Most requests that share one HTTP/2 connection. */
const HTTP2_STREAMS = 100;

/** Connections to one origin, as many as it takes, through the proxy where there is one. */
export function makePool(
  undici: typeof import("undici"),
  origin: string,
  options: ConnectionOptions,
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
  const proxy = proxyFor(origin, options.proxy);
  if (proxy !== undefined) {
    return new undici.ProxyAgent({
      ...shared,
      uri: proxy,
      requestTls: { ...tls, timeout: connectTimeoutMs },
    });
  }
  const settings = { ...tls, timeout: connectTimeoutMs, allowH2: http2, autoSelectFamily: true };
  // The option type joins three kinds of socket and so asks for a port, which comes with each target.
  const connect = undici.buildConnector(settings as buildConnector.BuildOptions);
  return new undici.Pool(origin, {
    ...shared,
    connect: (target, done) =>
      connect(target, (...outcome) => {
        if (outcome[0] === null) watchForStaleness(outcome[1]);
        done(...outcome);
      }),
  });
}
