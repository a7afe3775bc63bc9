import type { Socket } from "node:net";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { startTimer } from "@tinkex/base";
import type { buildConnector } from "undici";
import { TunnelError } from "../errors/tunnel-error.js";
import { type Abandon, type Connect, withAbandon } from "./connect.js";
import { httpTunnel } from "./http-tunnel.js";
import type { UndiciParts } from "./load-undici.js";
import { socksTunnel } from "./socks-tunnel.js";

/** Port of a SOCKS5 proxy whose address names none. */
const SOCKS_PORT = "1080";

/** Route of a connection through a proxy. */
export interface ProxyRoute {
  /** The proxy's address, its user name and password included. */
  readonly proxy: URL;
  /** Limit for all of it: reaching the proxy, its answers, TLS with the server behind. */
  readonly connectTimeoutMs: number;
  /** Certificates that a proxy's own may rest on, besides the system's. */
  readonly ca: readonly string[];
  /** Makes TLS with the server behind, over a connection that stands. */
  readonly secure: buildConnector.connector;
}

/**
 * Makes connections through an HTTP proxy, with one CONNECT each, or through a SOCKS5 proxy. undici's own `ProxyAgent` asks again
 * at once, and for ever, when a proxy closes the connection (nodejs/undici#3897).
 */
export function proxyConnector(undici: UndiciParts, route: ProxyRoute): Connect {
  const { proxy, connectTimeoutMs, secure } = route;
  const openTunnel = isSocks(proxy) ? socksTunnel : httpTunnel;
  const toProxy = { ...trustOf(route), timeout: connectTimeoutMs } as buildConnector.BuildOptions;
  const reachProxy = withAbandon(undici.buildConnector(toProxy));
  return (target, done) => {
    let leaveProxy: Abandon | undefined;
    let reached: Socket | undefined;
    let isOver = false;
    const finish = (...outcome: Parameters<typeof done>): void => {
      if (isOver) return;
      isOver = true;
      stopTimer();
      if (outcome[0] !== null) {
        leaveProxy?.(outcome[0]);
        reached?.destroy();
      }
      done(...outcome);
    };
    const stopTimer = startTimer(connectTimeoutMs, () => {
      const what = `no connection through the proxy within ${connectTimeoutMs} ms`;
      finish(new undici.errors.ConnectTimeoutError(what), null);
    });
    const tunnel = async (socket: Socket): Promise<void> => {
      reached = socket;
      if (isOver) return void socket.destroy();
      // A connection may break while nobody reads it; whoever does next finds out.
      socket.on("error", () => {});
      await openTunnel(socket, proxy, target);
      if (isOver) return;
      if (target.protocol === "https:") secure({ ...target, httpSocket: socket }, finish);
      else finish(null, socket);
    };
    leaveProxy = reachProxy(addressOf(proxy), (error, socket) => {
      if (error === null) tunnel(socket).catch((cause: Error) => finish(cause, null));
      else finish(error instanceof undici.errors.ConnectTimeoutError ? error : TunnelError.of(error), null);
    });
    return (reason) => finish(reason, null);
  };
}

/** Trust in the proxy's certificate. Made once: reading all of the system's certificates takes a tenth of a second. */
function trustOf({ proxy, ca }: ProxyRoute): { readonly secureContext?: SecureContext } {
  if (proxy.protocol !== "https:" || ca.length === 0) return {};
  return { secureContext: createSecureContext({ ca: [...ca, ...rootCertificates] }) };
}

function isSocks({ protocol }: URL): boolean {
  return protocol.startsWith("socks");
}

function addressOf(proxy: URL): buildConnector.Options {
  const { hostname, host, protocol, port } = proxy;
  const bare = hostname.replace(/^\[|\]$/g, "");
  return isSocks(proxy)
    ? { hostname: bare, host, protocol: "http:", port: port === "" ? SOCKS_PORT : port }
    : { hostname: bare, host, protocol, port };
}
