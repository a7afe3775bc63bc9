const BLOCK_PLACES = 512;

/**
 * A set of pairs of a place in a text and one of `kinds` small numbers, in blocks that are made when they are first
 * written to, so that it is as large as the stretch of the text that is looked at.
 */
export class PlaceSet {
  readonly #kinds: number;
  readonly #blocks = new Map<number, Uint8Array>();
  /** The block asked for last: places are visited one beside the other. */
  #lastKey = -1;
  #lastBlock: Uint8Array | undefined;

  constructor(kinds: number) {
    this.#kinds = kinds;
  }

  has(place: number, kind: number): boolean {
    const block = this.#blockOf(place);
    if (block === undefined) return false;
    const bit = (place % BLOCK_PLACES) * this.#kinds + kind;
    return ((block[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  add(place: number, kind: number): void {
    let block = this.#blockOf(place);
    if (block === undefined) {
      block = new Uint8Array(Math.ceil((BLOCK_PLACES * this.#kinds) / 8));
      this.#blocks.set(this.#lastKey, block);
      this.#lastBlock = block;
    }
    const bit = (place % BLOCK_PLACES) * this.#kinds + kind;
    block[bit >> 3] = (block[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  #blockOf(place: number): Uint8Array | undefined {
    const key = Math.floor(place / BLOCK_PLACES);
    if (key !== this.#lastKey) {
      this.#lastKey = key;
      this.#lastBlock = this.#blocks.get(key);
    }
    return this.#lastBlock;
  }

  /** Forgets the blocks that lie wholly before a place. */
  forgetBefore(place: number): void {
    const first = Math.floor(place / BLOCK_PLACES);
    for (const key of this.#blocks.keys()) {
      if (key >= first) break;
      this.#blocks.delete(key);
    }
  }
}
