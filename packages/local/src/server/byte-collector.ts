/** Chunks below this many bytes are copied together: whoever keeps one keeps a hundred bytes beside its own. */
const MIN_CHUNK_BYTES = 4096;
const BLOCK_BYTES = 64 * 1024;

/** Collects the chunks of a body, which takes no more memory when they are of a single byte each. */
export class ByteCollector {
  readonly #pieces: Uint8Array[] = [];
  #block = Buffer.alloc(0);
  #filled = 0;
  #length = 0;

  /** Number of bytes so far. */
  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (chunk.length >= MIN_CHUNK_BYTES) {
      this.#closePiece();
      this.#pieces.push(chunk);
      return;
    }
    if (this.#filled + chunk.length > this.#block.length) {
      this.#closePiece();
      this.#block = Buffer.allocUnsafe(BLOCK_BYTES);
    }
    this.#block.set(chunk, this.#filled);
    this.#filled += chunk.length;
  }

  /** All bytes, in the order they came. */
  bytes(): Buffer {
    this.#closePiece();
    return Buffer.concat(this.#pieces, this.#length);
  }

  #closePiece(): void {
    if (this.#filled > 0) this.#pieces.push(this.#block.subarray(0, this.#filled));
    this.#block = this.#block.subarray(this.#filled);
    this.#filled = 0;
  }
}
