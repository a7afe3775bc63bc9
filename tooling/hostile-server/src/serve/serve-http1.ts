import type { Socket } from "node:net";
import type { SeenRequest } from "../seen-request.js";
import type { Line } from "./line.js";
import { parseRequest } from "./parse-request.js";
import { SocketLine } from "./socket-line.js";

/** Told of each request and the way back, in the order in which they came. */
export type OnRequest = (request: SeenRequest, line: Line) => void;

/** Reads requests off a connection; `bare` is the one under TLS, or the same. */
export function serveHttp1(socket: Socket, bare: Socket, connection: number, onRequest: OnRequest): void {
  let pending = Buffer.alloc(0);
  socket.on("error", () => {});
  // A client that has ended its side gets no more answers; half-closing is a move of the server alone.
  socket.on("end", () => socket.end());
  socket.on("data", (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const parsed = parsedOrDropped(pending, connection, bare);
      if (parsed === undefined) return;
      pending = pending.subarray(parsed.byteLength);
      onRequest(parsed.request, new SocketLine(socket, bare));
    }
  });
}

/** A request that cannot be read ends its connection: a client with that fault must fail, and not the server with it. */
function parsedOrDropped(bytes: Buffer, connection: number, bare: Socket): ReturnType<typeof parseRequest> {
  try {
    return parseRequest(bytes, connection);
  } catch {
    bare.destroy();
    return undefined;
  }
}
