import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

interface Fault {
  readonly status: string;
  readonly detail: string;
}

const MALFORMED: Fault = { status: "400 Bad Request", detail: "the request must be HTTP/1.1; send it again" };
const EXPECTATION: Fault = {
  status: "417 Expectation Failed",
  detail: "Expect must be 100-continue, or left out",
};
const TUNNEL: Fault = {
  status: "405 Method Not Allowed",
  detail: "this server is no proxy: it makes no tunnels, and answers requests for itself alone",
};
/** Answers to what Node's parser gives up on, by its code. */
const FAULTS: Readonly<Record<string, Fault>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    detail: "the request must arrive faster; send it again",
  },
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    detail: "the head of the request must be smaller; send fewer or shorter headers",
  },
};

/** Answers a request that is no HTTP, before there is a reply to write to, in the form of all other refusals, and hangs up. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code !== "ECONNRESET") refuse(socket, FAULTS[error.code ?? ""] ?? MALFORMED);
}

/** Answers, in the same form, requests that Node would refuse by itself with an empty body, or with none. */
export function answerBeforeRouting(server: Server): void {
  server.on("checkExpectation", ({ socket }: IncomingMessage) => refuse(socket, EXPECTATION));
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => refuse(socket, TUNNEL));
}

function refuse(socket: Duplex, { status, detail }: Fault): void {
  if (socket.destroyed) return;
  const body = JSON.stringify({ detail });
  const head = [`HTTP/1.1 ${status}`, "Connection: close", "Content-Type: application/json"];
  if (socket.writable) {
    socket.write([...head, `Content-Length: ${Buffer.byteLength(body)}`, "", body].join("\r\n"));
  }
  socket.destroy();
}
