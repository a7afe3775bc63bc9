import { ResponseError } from "@tinkex/base";

/** Reads bytes from pieces of any length. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Gives one to `max` bytes. @throws ResponseError at the end */
  async some(max: number): Promise<Uint8Array> {
    if (!(await this.#fill())) throw new ResponseError("the archive of the checkpoint ends early");
    const piece = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(piece.byteLength);
    return piece;
  }

  /** Gives so many bytes, which it holds all at once. @throws ResponseError when there are fewer */
  async take(byteLength: number): Promise<Uint8Array> {
    if (this.#rest.byteLength >= byteLength && byteLength > 0) return this.some(byteLength);
    const taken = new Uint8Array(byteLength);
    for (let at = 0; at < byteLength; ) {
      const piece = await this.some(byteLength - at);
      taken.set(piece, at);
      at += piece.byteLength;
    }
    return taken;
  }

  /** Passes over so many bytes. @throws ResponseError when there are fewer */
  async skip(byteLength: number): Promise<void> {
    for (let left = byteLength; left > 0; ) left -= (await this.some(left)).byteLength;
  }

  /** Passes over all that is left. */
  async drain(): Promise<void> {
    while (await this.#fill()) this.#rest = new Uint8Array();
  }

  /** Lets the source go, which may hold a file. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.byteLength === 0) {
      const { done, value } = await this.#source.next();
      if (done === true) return false;
      this.#rest = value;
    }
    return true;
  }
}
