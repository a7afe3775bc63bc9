import type { AnswerMove, HeaderValues } from "../script/move.js";

/** The way back to whoever sent a request: a connection of HTTP/1.1, or a stream of HTTP/2. */
export interface Line {
  readonly isGone: boolean;
  begin(status: number, headers: HeaderValues): void;
  /** `sent` is told when the bytes have left. */
  write(bytes: Uint8Array, sent?: () => void): void;
  /** The body is over. */
  finish(): void;
  /** The first bytes of an answer, the body promised whole; then `sent`. */
  cut(of: AnswerMove, byteLength: number, sent: () => void): void;
  raw(text: string): void;
  /** From now on what comes goes to this port, and what comes from there goes back: all of it, or so many bytes and then `cut`. */
  tunnel(port: number, maxBytes: number, cut: () => void): void;
  reset(): void;
  hangUp(): void;
  halfClose(): void;
  goAway(): void;
  resetStream(code: number): void;
}

/** A move that the protocol at hand has no way of doing. */
export function cannot(move: string, protocol: string): never {
  throw new Error(`the move ${move} has no meaning over ${protocol}; use another in the server's script`);
}
