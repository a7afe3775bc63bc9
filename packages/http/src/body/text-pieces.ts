/** Pieces that are put together at a time. */
const MAX_PIECES = 1024;

/** A text that grows by small pieces. Added up one by one, each of them would cost some thirty bytes until the whole is read. */
export class TextPieces {
  #joined = "";
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    if (piece === "") return;
    this.#length += piece.length;
    if (this.#pieces.push(piece) === MAX_PIECES) this.#join();
  }

  /** All of it; the next piece begins anew. */
  take(): string {
    this.#join();
    const text = this.#joined;
    this.#joined = "";
    this.#length = 0;
    return text;
  }

  #join(): void {
    this.#joined += this.#pieces.join("");
    this.#pieces = [];
  }
}
