import { ValidationError } from "@tinkex/base";
import type { ConnectionSettings } from "./connection-options.js";
import { proxyFor } from "./proxy.js";

/** Settings that a runtime without undici may be asked for in vain. */
type Route = Pick<ConnectionSettings, "ca" | "proxy">;

/**
 * Gives the runtime's own `fetch`, where there is no undici, with the proxy and certificates of the settings. Bun's takes both
 * (`proxy`, `tls`); elsewhere they cannot be kept.
 *
 * @throws ValidationError, from the fetch, for a setting that the runtime cannot keep
 */
export function runtimeFetch({ ca, proxy }: Route, isBun = "Bun" in globalThis): typeof fetch {
  return (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    const through = proxyFor(origin, proxy);
    if (!isBun && (through !== undefined || ca !== undefined)) {
      throw new ValidationError(
        `${ca === undefined ? "proxy" : "ca"} cannot be kept by this runtime's fetch, and it has no undici; give a fetch that does (option fetch)`,
        { path: [ca === undefined ? "proxy" : "ca"] },
      );
    }
    if (through?.startsWith("socks")) {
      throw new ValidationError(
        "a SOCKS5 proxy cannot be used by Bun's fetch; give an HTTP proxy (option proxy, HTTPS_PROXY, ALL_PROXY), or run Node",
        { path: ["proxy"] },
      );
    }
    const more = {
      ...(through === undefined ? {} : { proxy: through }),
      ...(ca === undefined ? {} : { tls: { ca } }),
    };
    return fetch(input, { ...init, ...more });
  };
}
