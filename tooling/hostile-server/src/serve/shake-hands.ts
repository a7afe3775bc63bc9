import type { Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { Handshake } from "../listen-options.js";
import type { Authority } from "./authority.js";

/** Does what comes before a handshake, or in its place; `shake` begins the handshake itself. */
export function beforeHandshake(bare: Socket, { delayMs = 0, instead }: Handshake, shake: () => void): void {
  const begin = (): void => {
    if (bare.destroyed) return;
    if (instead === "reset") bare.resetAndDestroy();
    else if (instead === "garbage") bare.end("this is no handshake\r\n");
    else shake();
  };
  if (delayMs === Number.POSITIVE_INFINITY) {
    // Read all the same: who does not read never hears that the client has gone.
    bare.resume();
    bare.on("end", () => bare.end());
  } else if (delayMs > 0) setTimeout(begin, delayMs);
  else begin();
}

/** The server's side of a handshake that settles on HTTP/1.1. */
export function secureSocket(bare: Socket, { key, cert }: Authority): TLSSocket {
  const secureContext = createSecureContext({ key, cert });
  return new TLSSocket(bare, { isServer: true, secureContext, ALPNProtocols: ["http/1.1"] });
}
