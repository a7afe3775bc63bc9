import { isLoopbackHost } from "@tinkex/base";
import { RequestRefusal } from "../errors/request-refusal.js";
import { isSameSecret } from "./is-same-secret.js";
import type { ServerTokens } from "./server-tokens.js";

export interface GuardOptions {
  /** The address the server is bound to. */
  readonly host: string;
  /** The key that every request must bear; absent: none is asked for. */
  readonly apiKey: string | undefined;
  /** Tokens that are taken in the place of the key; absent where none is asked for. */
  readonly tokens?: Pick<ServerTokens, "check" | "isToken"> | undefined;
}

/** The parts of a request that decide whether it may pass. */
export interface GuardedRequest {
  readonly method: string;
  readonly path: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`, which browsers send and pages cannot set. */
  readonly site: string | undefined;
  readonly apiKey: string | undefined;
}

/** Requests without a key: health checks, which tell no more than that a server is up, and files whose address is signed. */
const isOpen = ({ method, path }: GuardedRequest) =>
  (method === "GET" || method === "HEAD") &&
  (path === "/api/v1/healthz" || path.startsWith("/api/v1/files/"));

/**
 * Lets a request pass, or says why not. Web pages are kept out in every way they could reach a server on loopback: by a
 * name of theirs that resolves to it (the `Host` is then not a loopback name), by a call of another origin, and by a picture
 * or a link, which have no origin but are of another site.
 *
 * @throws RequestRefusal 403 for a web page, 401 for a missing or wrong key
 */
export function guardRequest(request: GuardedRequest, options: GuardOptions): void {
  if (isLoopbackHost(options.host) && !isLoopbackHost(hostName(request.host))) {
    throw new RequestRefusal(
      403,
      `the Host header must be a loopback name, got "${request.host ?? ""}"; use http://127.0.0.1:<port>`,
    );
  }
  if (request.host === undefined || request.host === "") {
    throw new RequestRefusal(400, "the Host header must name this server, got none; send it");
  }
  if (request.site === "cross-site") {
    throw new RequestRefusal(
      403,
      "web pages of other sites may not use this server (Sec-Fetch-Site: cross-site)",
    );
  }
  if (request.origin !== undefined && !isOwnOrigin(request)) {
    throw new RequestRefusal(403, `web pages of other origins (${request.origin}) may not use this server`);
  }
  if (options.apiKey === undefined || isOpen(request)) return;
  if (request.apiKey === undefined) {
    throw new RequestRefusal(
      401,
      "this server asks for a key: send it as X-API-Key (TINKER_API_KEY in the SDKs)",
    );
  }
  if (options.tokens?.isToken(request.apiKey)) options.tokens.check(request.apiKey);
  else if (!isSameSecret(request.apiKey, options.apiKey))
    throw new RequestRefusal(401, "the API key is not this server's; send the one it was started with");
}

function isOwnOrigin({ origin, host }: GuardedRequest): boolean {
  return origin === `http://${host}`;
}

/** `localhost:8080` → `localhost`, `[::1]:8080` → `[::1]`. */
function hostName(host: string | undefined): string {
  return (host ?? "").replace(/:\d*$/, "").toLowerCase();
}
