import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** One request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** Lower-case names; a line sent twice has both values, joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Number of the connection, from 1. */
  readonly connection: number;
}

/** What the server does about one request. */
export type Move = (socket: Socket, request: SeenRequest) => void;

/** An ordinary answer. Objects go out as JSON. */
export function answer(
  status: number,
  body: unknown = {},
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): Move {
  return (socket) => {
    const bytes = Buffer.isBuffer(body)
      ? body
      : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const type = typeof body === "string" || Buffer.isBuffer(body) ? "text/plain" : "application/json";
    const all = { "content-type": type, "content-length": String(bytes.byteLength), ...headers };
    socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Whatever\r\n${lines(all)}\r\n`), bytes]));
  };
}

/** These bytes and no others; the connection stays open. */
export function raw(...parts: readonly string[]): Move {
  return (socket) => socket.write(parts.join(""));
}

/** Takes the request and says nothing. */
export const stall: Move = () => {};

/** Breaks the connection off without an answer. */
export const reset: Move = (socket) => socket.resetAndDestroy();

/** Closes the connection in good order, without an answer. */
export const hangUp: Move = (socket) => socket.end();

/** Promises `promised` bytes of body, sends `text`, then does `move`. */
export function cutShort(promised: number, text: string, move: Move): Move {
  return (socket, request) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${promised}\r\n\r\n${text}`, () => {
      move(socket, request);
    });
  };
}

/** Sends a body one byte at a time. */
export function trickle(text: string, everyMs: number): Move {
  return (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n`);
    const left = [...text];
    const timer = setInterval(() => {
      const next = left.shift();
      if (next === undefined || socket.destroyed) clearInterval(timer);
      else socket.write(next);
    }, everyMs);
    socket.on("close", () => clearInterval(timer));
  };
}

/** One move after the other. */
export function inTurn(...moves: readonly Move[]): Move {
  return (socket, request) => {
    for (const move of moves) move(socket, request);
  };
}

/** A server over bare sockets on a free loopback port, so that it can do what no HTTP library does. */
export class HostileServer {
  readonly requests: SeenRequest[] = [];
  readonly sockets = new Set<Socket>();
  /** Most connections open at one time. */
  mostSockets = 0;
  connections = 0;
  /** Numbers of the connections that are gone. */
  readonly closed = new Set<number>();
  readonly #server: Server;
  readonly #scheme: string;
  readonly #next: () => Move;

  private constructor(next: () => Move, tls?: { readonly key: string; readonly cert: string }) {
    this.#next = next;
    this.#scheme = tls === undefined ? "http" : "https";
    const onSocket = (socket: Socket): void => this.#serve(socket);
    this.#server = tls === undefined ? createServer(onSocket) : createTlsServer(tls, onSocket);
  }

  /** Does the moves in turn, one a request, and the last one for ever. */
  static async play(...moves: readonly Move[]): Promise<HostileServer> {
    return HostileServer.start(moves);
  }

  static async start(
    moves: readonly Move[],
    tls?: { readonly key: string; readonly cert: string },
  ): Promise<HostileServer> {
    const queue = [...moves];
    const server = new HostileServer(() => (queue.length > 1 ? queue.shift() : queue[0]) ?? answer(200), tls);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Values of one header over all requests, in order. */
  header(name: string): (string | undefined)[] {
    return this.requests.map((request) => request.headers[name]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    const connection = this.connections;
    this.sockets.add(socket);
    this.mostSockets = Math.max(this.mostSockets, this.sockets.size);
    socket.on("close", () => {
      this.sockets.delete(socket);
      this.closed.add(connection);
    });
    socket.on("error", () => {});
    socket.setNoDelay(true);
    let pending = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk]);
      for (;;) {
        const parsed = parseRequest(pending, connection);
        if (parsed === undefined) return;
        pending = pending.subarray(parsed.byteLength);
        this.requests.push(parsed.request);
        this.#next()(socket, parsed.request);
      }
    });
  }
}

function parseRequest(
  bytes: Buffer,
  connection: number,
): { readonly request: SeenRequest; readonly byteLength: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [first = "", ...headerLines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of headerLines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const byteLength = headEnd + 4 + Number(headers["content-length"] ?? 0);
  if (bytes.byteLength < byteLength) return undefined;
  const [method = "", path = ""] = first.split(" ");
  const body = Buffer.from(bytes.subarray(headEnd + 4, byteLength));
  return { request: { method, path, headers, body, connection }, byteLength };
}

function lines(headers: Readonly<Record<string, string | readonly string[]>>): string {
  return Object.entries(headers)
    .flatMap(([name, value]) => (typeof value === "string" ? [value] : value).map((v) => `${name}: ${v}\r\n`))
    .join("");
}
