const NONE = -1;

/** Says of pairs of ids in which place of a list of merges they stand, and what they become: a hash table of numbers, made fast. */
export class PairRanks {
  readonly #mask: number;
  readonly #lefts: Int32Array;
  readonly #rights: Int32Array;
  /** The rank of the pair in each slot; none where the slot is free. */
  readonly #ranks: Int32Array;
  readonly #joined: Int32Array;

  /**
   * @param count - the number of pairs, at most
   * @param rankCount - the number of ranks, which several pairs may share
   */
  constructor(count: number, rankCount: number = count) {
    let size = 16;
    while (size < count * 2) size *= 2;
    this.#mask = size - 1;
    this.#lefts = new Int32Array(size);
    this.#rights = new Int32Array(size);
    this.#ranks = new Int32Array(size).fill(NONE);
    this.#joined = new Int32Array(rankCount);
  }

  /** Notes a pair; one noted before gets the new rank, as in Rust. */
  set(left: number, right: number, rank: number, joined: number): void {
    const slot = this.#slot(left, right);
    this.#lefts[slot] = left;
    this.#rights[slot] = right;
    this.#ranks[slot] = rank;
    this.#joined[rank] = joined;
  }

  /** The rank of a pair, -1 where it is not joined. */
  rank(left: number, right: number): number {
    return this.#ranks[this.#slot(left, right)] ?? NONE;
  }

  /** The id of the token that the pair of a rank becomes. */
  joined(rank: number): number {
    return this.#joined[rank] ?? NONE;
  }

  #slot(left: number, right: number): number {
    let slot = hash(left, right) & this.#mask;
    while (
      this.#ranks[slot] !== NONE &&
      (this.#lefts[slot] !== left || this.#rights[slot] !== right)
    ) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }
}

function hash(left: number, right: number): number {
  const mixed = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 7;
}
