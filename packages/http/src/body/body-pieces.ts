import { ResponseError } from "@tinkex/base";

/** Most bytes of an error answer that are kept, packed and unpacked; what comes after says nothing more. */
export const MAX_ERROR_BYTES = 1024 * 1024;

/** Pieces of at least so many bytes are kept as they are; smaller ones are copied together. */
const MIN_PIECE_BYTES = 16 * 1024;
const MAX_BLOCK_BYTES = 64 * 1024;
const NO_BYTES = new Uint8Array(0);

/** The body of one answer as it comes, which a server may send without end, and in pieces of a byte. */
export class BodyPieces {
  readonly #isError: boolean;
  readonly #maxBytes: number;
  readonly #pieces: Uint8Array[] = [];
  /** Small pieces are copied into this one, for each view that is kept costs a hundred bytes, and keeps a buffer alive. */
  #block = NO_BYTES;
  #blockLength = 0;
  #byteLength = 0;

  /** @param maxBytes - of an answer that is no error */
  constructor(status: number, maxBytes = MAX_ERROR_BYTES) {
    this.#isError = status >= 300;
    this.#maxBytes = this.#isError ? MAX_ERROR_BYTES : maxBytes;
  }

  /**
   * Takes a piece in.
   *
   * @returns whether more is wanted: of an error the beginning is enough
   * @throws ResponseError for an answer that is longer than its operation's may be
   */
  add(piece: Uint8Array): boolean {
    const room = this.#maxBytes - this.#byteLength;
    if (piece.byteLength > room && !this.#isError) {
      throw new ResponseError(
        `the answer is longer than ${this.#maxBytes} bytes, and is not read to its end`,
      );
    }
    const wanted = piece.byteLength > room ? piece.subarray(0, room) : piece;
    const isOnlyOne = this.#pieces.length === 0 && this.#blockLength === 0;
    if (wanted.byteLength >= MIN_PIECE_BYTES || isOnlyOne) {
      if (this.#blockLength > 0) this.#closeBlock();
      this.#pieces.push(wanted);
    } else {
      this.#copy(wanted);
    }
    this.#byteLength += wanted.byteLength;
    return piece.byteLength <= room;
  }

  /** Joins the pieces into one array of its own, so that no view keeps a socket's buffer alive. */
  join(): Uint8Array {
    if (this.#blockLength > 0) this.#closeBlock();
    const whole = new Uint8Array(this.#byteLength);
    let offset = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, offset);
      offset += piece.byteLength;
    }
    return whole;
  }

  #copy(piece: Uint8Array): void {
    if (this.#blockLength + piece.byteLength > this.#block.byteLength) {
      this.#closeBlock();
      // Blocks grow with the body, so that a short one costs little.
      const byteLength = Math.min(MAX_BLOCK_BYTES, Math.max(2 * piece.byteLength, this.#byteLength));
      this.#block = new Uint8Array(byteLength);
    }
    this.#block.set(piece, this.#blockLength);
    this.#blockLength += piece.byteLength;
  }

  #closeBlock(): void {
    if (this.#blockLength > 0) this.#pieces.push(this.#block.subarray(0, this.#blockLength));
    this.#block = NO_BYTES;
    this.#blockLength = 0;
  }
}
