import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { AnswerMove, HeaderValues } from "../script/move.js";
import { cannot, type Line } from "./line.js";

/** Answers over one stream of an HTTP/2 connection. */
export class StreamLine implements Line {
  readonly #stream: ServerHttp2Stream;
  readonly #bare: Socket;

  constructor(stream: ServerHttp2Stream, bare: Socket) {
    this.#stream = stream;
    this.#bare = bare;
  }

  get isGone(): boolean {
    return this.#stream.destroyed;
  }

  begin(status: number, headers: HeaderValues): void {
    const fields: OutgoingHttpHeaders = { ":status": status };
    for (const [name, value] of Object.entries(headers)) {
      // HTTP/2 knows no `connection`; it is the one header that scripts of HTTP/1.1 carry.
      if (name !== "connection") fields[name] = typeof value === "string" ? value : [...value];
    }
    this.#stream.respond(fields);
  }

  write(bytes: Uint8Array, sent?: () => void): void {
    this.#stream.write(bytes, () => sent?.());
  }

  finish(): void {
    this.#stream.end();
  }

  cut({ status, headers, body }: AnswerMove, byteLength: number, sent: () => void): void {
    this.begin(status, headers);
    this.#stream.write(body.subarray(0, byteLength), () => sent());
  }

  raw(): void {
    cannot("raw", "HTTP/2");
  }

  tunnel(): void {
    cannot("tunnel", "HTTP/2");
  }

  reset(): void {
    this.#bare.resetAndDestroy();
  }

  hangUp(): void {
    this.#stream.session?.destroy();
  }

  halfClose(): void {
    cannot("half_close", "HTTP/2");
  }

  goAway(): void {
    this.#stream.session?.goaway(constants.NGHTTP2_NO_ERROR);
  }

  resetStream(code: number): void {
    this.#stream.close(code);
  }
}
