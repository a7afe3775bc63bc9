import { ResponseError } from "@tinkex/base";
import { MOST_UNPACKED_BYTES } from "./decode-body.js";

/** Most bytes of an error answer that are read; what comes after says nothing more. */
export const MOST_ERROR_BYTES = 1024 * 1024;

/** The body of one answer as it comes, which a server may send without end. */
export class BodyPieces {
  readonly #isError: boolean;
  readonly #mostBytes: number;
  readonly #pieces: Uint8Array[] = [];
  #byteLength = 0;

  /** @param mostBytes - of an answer that is no error; for tests */
  constructor(status: number, mostBytes = MOST_UNPACKED_BYTES) {
    this.#isError = status >= 300;
    this.#mostBytes = mostBytes;
  }

  /**
   * Takes a piece in.
   *
   * @returns whether more is wanted: of an error the beginning is enough
   * @throws ResponseError for an answer that is longer than any of the API
   */
  add(piece: Uint8Array): boolean {
    this.#pieces.push(piece);
    this.#byteLength += piece.byteLength;
    if (this.#isError) return this.#byteLength <= MOST_ERROR_BYTES;
    if (this.#byteLength <= this.#mostBytes) return true;
    throw new ResponseError(`the answer is longer than ${this.#mostBytes} bytes, and is not read to its end`);
  }

  /** One array of its own from the pieces, so that no view keeps a socket's buffer alive. */
  join(): Uint8Array {
    const whole = new Uint8Array(this.#byteLength);
    let offset = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, offset);
      offset += piece.byteLength;
    }
    return whole;
  }
}
