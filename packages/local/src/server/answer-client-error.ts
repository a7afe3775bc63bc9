import type { Socket } from "node:net";

interface Fault {
  readonly status: string;
  readonly detail: string;
}

const MALFORMED: Fault = { status: "400 Bad Request", detail: "the request must be HTTP/1.1; send it again" };
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
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const { status, detail } = FAULTS[error.code ?? ""] ?? MALFORMED;
  const body = JSON.stringify({ detail });
  const head = [`HTTP/1.1 ${status}`, "Connection: close", "Content-Type: application/json"];
  if (socket.writable) {
    socket.write([...head, `Content-Length: ${Buffer.byteLength(body)}`, "", body].join("\r\n"));
  }
  socket.destroy();
}
