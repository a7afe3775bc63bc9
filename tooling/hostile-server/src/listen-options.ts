import type { Script } from "./script/rule.js";

/** What happens between the connection and its TLS handshake. */
export interface Handshake {
  /** How long the server keeps silent first, in milliseconds; `Infinity` for ever. */
  readonly delayMs?: number;
  /** What then comes in place of a handshake. */
  readonly instead?: "reset" | "garbage";
}

/** One server. */
export interface ListenOptions {
  readonly script: Script;
  /** Speaks TLS, with a certificate of the host's own authority. @defaultValue plain TCP */
  readonly tls?: Handshake;
  /** Speaks HTTP/2 with clients that offer it in the handshake. @defaultValue false */
  readonly http2?: boolean;
  /** Whether the test's process is told of each request before it is acted on. @defaultValue true */
  readonly tellsRequests?: boolean;
}
