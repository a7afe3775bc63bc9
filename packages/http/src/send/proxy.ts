import { isLoopback } from "../request/base-url.js";

/** Proxies to go through. */
export interface ProxySettings {
  /** For `http:` addresses. */
  readonly httpProxy?: string | undefined;
  /** For `https:` addresses. */
  readonly httpsProxy?: string | undefined;
  /** Hosts to go to directly: names, `.suffixes`, `host:port`, or `*`, between commas. */
  readonly noProxy?: string | undefined;
}

/** The proxies that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name, in either case. */
export function proxyFromEnvironment(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  const read = (name: string): string | undefined => env[name.toLowerCase()] || env[name] || undefined;
  const all = read("ALL_PROXY");
  return {
    httpProxy: read("HTTP_PROXY") ?? all,
    httpsProxy: read("HTTPS_PROXY") ?? all,
    noProxy: read("NO_PROXY"),
  };
}

/** The proxy for an origin, or `undefined` to go there directly. This machine is always gone to directly. */
export function proxyFor(origin: string, settings: ProxySettings): string | undefined {
  const url = new URL(origin);
  const proxy = url.protocol === "https:" ? settings.httpsProxy : settings.httpProxy;
  if (proxy === undefined || isLoopback(origin)) return undefined;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const excepted = (settings.noProxy ?? "")
    .split(/[\s,]+/)
    .some((entry) => entry !== "" && matches(entry.toLowerCase(), url.hostname, port));
  return excepted ? undefined : proxy;
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, name = "", entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && entryPort !== port) return false;
  const bare = name.replace(/^\*?\./, "");
  return host === bare || host.endsWith(`.${bare}`);
}
