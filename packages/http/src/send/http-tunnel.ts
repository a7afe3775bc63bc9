import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import { TunnelError } from "../errors/tunnel-error.js";
import { proxyAnswer } from "./proxy-answer.js";

/** Longest head of an answer to CONNECT, in bytes; Node's own limit for heads. */
const MAX_HEAD_BYTES = 16 * 1024;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: |$)/;

/** Ends of lines, which may lack the carriage return (RFC 9112, 2.2), and of a head. */
const LINE_END = /\r?\n/;
const HEAD_END = /\r?\n\r?\n/g;

/** Has an HTTP proxy lead a connection on to a server, with one CONNECT. */
export async function httpTunnel(socket: Socket, proxy: URL, target: buildConnector.Options): Promise<void> {
  const hasLogin = proxy.username !== "" || proxy.password !== "";
  const answered = proxyAnswer(socket, (bytes) => readHead(bytes, hasLogin));
  socket.write(connectHead(proxy, target));
  await answered;
}

function connectHead({ username, password }: URL, target: buildConnector.Options): string {
  const { host = "", port, protocol } = target;
  const authority = port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `host: ${authority}`, "proxy-connection: keep-alive"];
  if (username !== "" || password !== "") {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    lines.push(`proxy-authorization: Basic ${Buffer.from(credentials).toString("base64")}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Tells whether the bytes so far say that the tunnel stands, or why there is none; `undefined` while they say neither. */
function readHead(bytes: Buffer, hasLogin: boolean): "stands" | TunnelError | undefined {
  const text = bytes.toString("latin1");
  let start = 0;
  for (const { index, 0: end } of text.matchAll(HEAD_END)) {
    const status = statusOf(text.slice(start, index));
    if (status === undefined) return TunnelError.notSpoken("HTTP");
    start = index + end.length;
    if (status >= 300) return TunnelError.refused(status, hasLogin);
    // Behind the proxy nobody speaks before we do.
    if (status >= 200) return start < bytes.byteLength ? TunnelError.notSpoken("HTTP") : "stands";
  }
  return bytes.byteLength > MAX_HEAD_BYTES ? TunnelError.notSpoken("HTTP") : undefined;
}

function statusOf(head: string): number | undefined {
  const [line = ""] = head.split(LINE_END, 1);
  const [, status] = STATUS_LINE.exec(line) ?? [];
  return status === undefined ? undefined : Number(status);
}
