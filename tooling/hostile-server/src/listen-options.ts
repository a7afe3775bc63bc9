import type { Move } from "./script/move.js";
import type { Script } from "./script/rule.js";

/** What happens between the connection and its TLS handshake. */
export interface Handshake {
  /** How long the server keeps silent first, in milliseconds; `Infinity` for ever. */
  readonly delayMs?: number;
  /** What then comes in place of a handshake. */
  readonly instead?: "reset" | "garbage";
}

/** What a SOCKS5 proxy does before it is asked for a connection, in place of taking whoever comes. */
export interface SocksMoves {
  /** About the list of the ways to log in. */
  readonly greeting?: Move;
  /** About a user name and a password. */
  readonly login?: Move;
}

/** One server. */
export interface ListenOptions {
  readonly script: Script;
  /** Speaks TLS, with a certificate of the host's own authority. @defaultValue plain TCP */
  readonly tls?: Handshake;
  /** Speaks HTTP/2 with clients that offer it in the handshake. @defaultValue false */
  readonly http2?: boolean;
  /**
   * Speaks SOCKS5 in place of HTTP. Each connection that it is asked for is a request, CONNECT of `host:port`, with the login in the
   * header `proxy-authorization`.
   */
  readonly socks?: SocksMoves;
  /** Whether the test's process is told of each request before it is acted on. @defaultValue true */
  readonly tellsRequests?: boolean;
}
