import type { Socket } from "node:net";
import { TunnelError } from "../errors/tunnel-error.js";

/** Longest head of an answer to CONNECT, in bytes; Node's own limit for heads. */
const MAX_HEAD_BYTES = 16 * 1024;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: |$)/;

/** Reads a proxy's answer to CONNECT off a connection, which afterwards is as it was before, or is of no more use. */
export function tunnelAnswer(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const leave = (settle: () => void): void => {
      socket.off("data", onData).off("end", onEnd).off("error", onError).off("close", onEnd);
      socket.pause();
      settle();
    };
    const fail = (error: TunnelError): void => leave(() => reject(error));
    const onEnd = (): void => fail(TunnelError.hungUp());
    const onError = (error: Error): void => fail(TunnelError.of(error));
    const onData = (piece: Buffer): void => {
      head = Buffer.concat([head, piece]);
      const answer = readHead(head);
      if (answer === undefined) return;
      if (answer instanceof TunnelError) fail(answer);
      else leave(resolve);
    };
    socket.on("data", onData).on("end", onEnd).on("error", onError).on("close", onEnd);
  });
}

/** Tells whether the bytes so far say that the tunnel stands, or why there is none; `undefined` while they say neither. */
function readHead(bytes: Buffer): "stands" | TunnelError | undefined {
  let start = 0;
  for (;;) {
    const end = bytes.indexOf("\r\n\r\n", start);
    if (end < 0) return bytes.byteLength > MAX_HEAD_BYTES ? TunnelError.noHttp() : undefined;
    const status = statusOf(bytes.toString("latin1", start, end));
    if (status === undefined) return TunnelError.noHttp();
    start = end + 4;
    if (status >= 300) return TunnelError.refused(status);
    // Behind the proxy nobody speaks before we do.
    if (status >= 200) return start < bytes.byteLength ? TunnelError.noHttp() : "stands";
  }
}

function statusOf(head: string): number | undefined {
  const [line = ""] = head.split("\r\n", 1);
  const [, status] = STATUS_LINE.exec(line) ?? [];
  return status === undefined ? undefined : Number(status);
}
