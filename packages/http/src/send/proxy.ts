import { checkObject, checkString, ValidationError } from "@tinkex/base";
import { isLoopback } from "../request/base-url.js";
import { isExcepted } from "./no-proxy.js";

/** Proxies to go through. */
export interface ProxySettings {
  /** For `http:` addresses. */
  readonly httpProxy?: string | undefined;
  /** For `https:` addresses. */
  readonly httpsProxy?: string | undefined;
  /** Hosts to go to directly, between commas or spaces: names (with all below them), IP addresses, ranges, `host:port`, or `*`. */
  readonly noProxy?: string | undefined;
}

/**
 * Reads the proxies that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name, in either case. In a CGI program
 * `HTTP_PROXY` in capitals is not read: there it holds a header that anybody may send (CVE-2016-1000110).
 */
export function proxyFromEnvironment(env: Readonly<Record<string, string | undefined>>): ProxySettings {
  checkObject(env, "proxyFromEnvironment: env", "process.env");
  const text = (name: string): string | undefined => trimmed(env[name], name);
  const read = (name: string): string | undefined => text(name.toLowerCase()) ?? text(name);
  const all = read("ALL_PROXY");
  const http = env.REQUEST_METHOD === undefined ? read("HTTP_PROXY") : text("http_proxy");
  return {
    httpProxy: http ?? all,
    httpsProxy: read("HTTPS_PROXY") ?? all,
    noProxy: read("NO_PROXY"),
  };
}

/**
 * Finds the proxy for an origin, or `undefined` to go there directly. This machine is always gone to directly. An address without
 * a scheme is one of `http:`, as for other programs that read these variables.
 *
 * @throws ValidationError for a proxy whose address cannot work; its message names the part, for the address may hold a
 *   password
 */
export function proxyFor(origin: string, settings: ProxySettings): string | undefined {
  const url = new URL(origin);
  const field = url.protocol === "https:" ? "httpsProxy" : "httpProxy";
  const proxy = trimmed(settings[field], `proxy.${field}`);
  if (proxy === undefined || isLoopback(origin)) return undefined;
  return isExcepted(url, settings.noProxy ?? "") ? undefined : proxyAddress(proxy, field);
}

/**
 * Takes off the spaces and ends of lines that files of settings leave behind; an address that is empty then is none.
 *
 * @throws ValidationError for what is no string
 */
function trimmed(address: string | undefined, place: string): string | undefined {
  if (address === undefined || address === null) return undefined;
  checkString(address, place, "http://proxy.example:3128");
  return address.trim() || undefined;
}

/** Shows a proxy's address without its user name and password, for messages. */
export function shownProxy(address: string): string {
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

const SCHEMES = ["http:", "https:", "socks5:", "socks5h:", "socks:"];

function proxyAddress(given: string, field: keyof ProxySettings): string {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  const fault = URL.canParse(address) ? addressFault(new URL(address)) : "is not a URL";
  if (fault === undefined) return address;
  throw new ValidationError(
    `the proxy's address ${fault}; give one like "http://proxy.example:3128" (option proxy.${field}, or the environment's ` +
      `${field === "httpsProxy" ? "HTTPS_PROXY" : "HTTP_PROXY"} or ALL_PROXY)`,
    { path: ["proxy", field] },
  );
}

function addressFault({ protocol, username, password }: URL): string | undefined {
  if (!SCHEMES.includes(protocol)) return `must start with one of ${SCHEMES.join("//, ")}//, got ${protocol}`;
  try {
    decodeURIComponent(username + password);
  } catch {
    return "holds a user name or password with a percent sign that is not written %25";
  }
  return undefined;
}
