import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { Authority } from "./authority.js";
import { type OnRequest, serveHttp1 } from "./serve-http1.js";
import { StreamLine } from "./stream-line.js";

/** Takes a connection over, TLS handshake and all. */
export type TakeOver = (bare: Socket, connection: number) => void;

/** HTTP/2 for clients that offer it, HTTP/1.1 for the others. */
export function http2Server({ key, cert }: Authority, onRequest: OnRequest): TakeOver {
  /** By the client's port, which is all that a session tells of the connection under it. */
  const taken = new Map<number | undefined, { readonly bare: Socket; readonly connection: number }>();
  const server = createSecureServer({ key, cert });
  server.on("session", (session) => {
    const under = taken.get(session.socket.remotePort);
    session.on("error", () => {});
    session.on("stream", (stream, headers) => {
      if (under !== undefined) readStream(stream, headers, under, onRequest);
    });
  });
  server.on("unknownProtocol", (socket: Socket) => {
    const under = taken.get(socket.remotePort);
    if (under !== undefined) serveHttp1(socket, under.bare, under.connection, onRequest);
  });
  // Node leaves the connections of clients that go away early or in the middle to whoever listens here.
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  server.on("secureConnection", (socket: Socket) => socket.on("end", () => socket.destroy()));
  return (bare, connection) => {
    const { remotePort } = bare;
    taken.set(remotePort, { bare, connection });
    bare.on("close", () => taken.delete(remotePort));
    server.emit("connection", bare);
  };
}

function readStream(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  { bare, connection }: { readonly bare: Socket; readonly connection: number },
  onRequest: OnRequest,
): void {
  const chunks: Buffer[] = [];
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("end", () => {
    const method = headers[":method"] ?? "";
    const path = headers[":path"] ?? "";
    const body = Buffer.concat(chunks);
    onRequest(
      { method, path, headers: plainHeaders(headers), body, connection },
      new StreamLine(stream, bare),
    );
  });
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name] = typeof value === "string" ? value : value.join(", ");
  }
  return plain;
}
