import { connect, type Socket } from "node:net";
import type { AnswerMove, HeaderValues } from "../script/move.js";
import { cannot, type Line } from "./line.js";

/** Answers over HTTP/1.1, byte by byte as told. */
export class SocketLine implements Line {
  readonly #socket: Socket;
  /** The TCP connection under TLS, or the same. */
  readonly #bare: Socket;

  readonly #tunnelStands: string | Uint8Array;

  /** @param tunnelStands - the proxy's word that a tunnel stands, in the protocol at hand */
  constructor(
    socket: Socket,
    bare: Socket,
    tunnelStands: string | Uint8Array = "HTTP/1.1 200 Connection established\r\n\r\n",
  ) {
    this.#socket = socket;
    this.#bare = bare;
    this.#tunnelStands = tunnelStands;
  }

  get isGone(): boolean {
    return this.#socket.destroyed;
  }

  begin(status: number, headers: HeaderValues): void {
    this.#socket.write(head(status, headers));
  }

  write(bytes: Uint8Array, sent?: () => void): void {
    this.#socket.write(bytes, () => sent?.());
  }

  finish(): void {
    // The length in the head has said where the body ends.
  }

  cut({ status, headers, body }: AnswerMove, byteLength: number, sent: () => void): void {
    const whole = Buffer.concat([head(status, headers), body]);
    this.#socket.write(whole.subarray(0, byteLength), () => sent());
  }

  raw(text: string): void {
    this.#socket.write(text, "latin1");
  }

  tunnel(port: number, maxBytes: number, cut: () => void): void {
    const socket = this.#socket;
    const onward = connect(port, "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
    socket.on("close", () => onward.destroy());
    // The pipe to a server that has gone pauses the client's side, whose end would never be seen.
    onward.on("close", () => socket.resume());
    // No more requests are read off this connection.
    socket.removeAllListeners("data");
    socket.write(this.#tunnelStands);
    socket.pipe(onward);
    if (maxBytes === Number.POSITIVE_INFINITY) onward.pipe(socket);
    else passBytes(onward, socket, maxBytes, cut);
  }

  reset(): void {
    this.#bare.resetAndDestroy();
  }

  hangUp(): void {
    this.#socket.end();
    // The client's own half need not be waited for.
    this.#bare.destroySoon();
  }

  halfClose(): void {
    this.#socket.end();
  }

  goAway(): void {
    cannot("go_away", "HTTP/1.1");
  }

  resetStream(): void {
    cannot("reset_stream", "HTTP/1.1");
  }
}

function head(status: number, headers: HeaderValues): Buffer {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : value).map((one) => `${name}: ${one}\r\n`),
  );
  return Buffer.from(`HTTP/1.1 ${status} Whatever\r\n${lines.join("")}\r\n`, "latin1");
}

/** Passes so many bytes on, then does what is told, and passes no more. */
function passBytes(from: Socket, to: Socket, maxBytes: number, then: () => void): void {
  let left = maxBytes;
  const end = (): void => {
    from.removeAllListeners("data").resume();
    then();
  };
  if (left === 0) {
    end();
    return;
  }
  from.on("end", () => to.end());
  from.on("data", (piece: Buffer) => {
    const passed = piece.subarray(0, left);
    left -= passed.byteLength;
    to.write(passed, () => {
      if (left === 0) end();
    });
    if (left === 0) from.pause();
  });
}
